/** A response with its complete body. */
export interface ReceivedResponse {
  /** Method and path of the request, for messages. */
  readonly to: string
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly text: string
  readonly requestId: string | undefined
}
