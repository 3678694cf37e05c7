/** An answer in plain, as fetch hands on what was encoded on the way. */
export function decoded(response: Response): Response {
  const coding = response.headers.get('content-encoding')
  if (coding === null || response.body === null) return response
  const format = (coding === 'br' ? 'brotli' : coding) as CompressionFormat
  return new Response(response.body.pipeThrough(new DecompressionStream(format)), response)
}
