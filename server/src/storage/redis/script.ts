/** A Lua script: atomic, and run by its hash once Redis knows it. */
export interface Script {
  readonly numberOfKeys: number
  readonly lua: string
}
