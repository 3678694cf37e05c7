import { changedRequest, type Mutation, onRequest, onResponse } from './mutation.ts'

const isEvents = (path: string) => path.endsWith('/events')

function withQuery(request: Request, change: (query: URLSearchParams) => void): Request {
  const url = new URL(request.url)
  change(url.searchParams)
  return changedRequest(request, { url: url.href })
}

/** Changes the text of a stream that ends. */
function onEvents(name: string, change: (text: string) => string): Mutation {
  return onResponse(
    name,
    ({ url }, { status }, path) => isEvents(path) && status === 200 && url.includes('follow=false'),
    async (response) => new Response(change(await response.text()), response),
  )
}

/** Mutations of event streams. */
export const eventsMutations: readonly Mutation[] = [
  onRequest(
    'events ignore the kind',
    ({ url }, path) => isEvents(path) && url.includes('kind='),
    (request, send) => send(withQuery(request, (query) => query.delete('kind'))),
  ),
  onRequest(
    'events ignore Last-Event-ID',
    (_, path) => isEvents(path),
    (request, send) => send(changedRequest(request, { headers: { 'last-event-id': null } })),
  ),
  onEvents('events say no time to reconnect', (text) => text.replace(/^retry: .*\n/m, '')),
  onEvents('events have no kind', (text) => text.replaceAll(/"kind":"(fish|crab)",/g, '')),
  onEvents(
    'events come twice',
    (text) =>
      text +
      (text
        .split(/(?=event: catch)/)
        .slice(1)
        .at(-1) ?? ''),
  ),
]
