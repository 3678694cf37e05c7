import { changedRequest, type Mutation, onRequest, onResponse } from './mutation.ts'

const isEvents = (path: string) => path.endsWith('/events')

function withQuery(request: Request, change: (query: URLSearchParams) => void): Request {
  const url = new URL(request.url)
  change(url.searchParams)
  return changedRequest(request, { url: url.href })
}

/** Creates a mutation that changes the text of event streams that end. */
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
    'ignores the kind of events',
    ({ url }, path) => isEvents(path) && url.includes('kind='),
    (request, send) => send(withQuery(request, (query) => query.delete('kind'))),
  ),
  onRequest(
    'ignores Last-Event-ID',
    (_, path) => isEvents(path),
    (request, send) => send(changedRequest(request, { headers: { 'last-event-id': null } })),
  ),
  onRequest(
    'streams one gamemode instead of all',
    ({ url }, path) => isEvents(path) && !url.includes('gamemode='),
    (request, send) => send(changedRequest(request, { url: `${request.url}&gamemode=earth` })),
  ),
  onEvents('omits the reconnection time in event streams', (text) => text.replace(/^retry: .*\n/m, '')),
  onEvents('omits the kind in events', (text) => text.replaceAll(/"kind":"(fish|crab)",/g, '')),
  onEvents(
    'sends an event twice',
    (text) =>
      text +
      (text
        .split(/(?=event: catch)/)
        .slice(1)
        .at(-1) ?? ''),
  ),
]
