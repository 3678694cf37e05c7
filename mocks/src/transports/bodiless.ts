/** Statuses whose answers never have a body (RFC 9110, section 6.4.1). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/** Whether the answer to such a request has no body to disturb, whatever its length says. */
export function isBodiless(method: string, { status }: Pick<Response, 'status'>): boolean {
  return method === 'HEAD' || BODILESS.has(status)
}
