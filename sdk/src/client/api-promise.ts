/** The HTTP side of an answer. Its body was read already: it is the content. */
export interface ResponseInfo {
  /** HTTP status. */
  readonly status: number
  readonly headers: Headers
}

/** A content together with the response that it came in. */
export interface WithResponse<Content> {
  readonly data: Content
  readonly response: ResponseInfo
}

/** What a call gives: a promise of the content, which can also be asked for the response. */
export interface ApiPromise<Content> extends Promise<Content> {
  /**
   * The content with the status and headers it came with. Sends nothing again.
   *
   * @example
   * const { data, response } = await client.fish.list().withResponse()
   * response.headers.get('etag')
   */
  withResponse(): Promise<WithResponse<Content>>
}

/** Makes a call's promise from its work, which has begun. */
export function apiPromise<Content>(work: Promise<WithResponse<Content>>): ApiPromise<Content> {
  const content = work.then(({ data }) => data)
  return Object.assign(content, {
    withResponse: () => {
      // Who asks for the response is told of a failure there, so it is not unhandled here.
      content.catch(() => {})
      return work
    },
  })
}
