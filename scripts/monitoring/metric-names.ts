import { createServiceMetrics } from '../../server/src/node/metrics.ts'

/** Labels that Prometheus or the text format adds to series. */
const ADDED_LABELS = ['job', 'instance', 'le']

/** Returns the labels of every metric of the server, by the name of the series. */
export async function serverMetrics(): Promise<ReadonlyMap<string, readonly string[]>> {
  const metrics = createServiceMetrics(() => 0)
  // A metric with labels is rendered only when it has a series.
  metrics.observeRequest({ route: 'status', method: 'GET', status: 500, code: 'internal_error', seconds: 1 })
  metrics.observeRateLimit('allowed')
  metrics.observeStorage({ operation: 'read', seconds: 1, failed: true })
  metrics.observeReserve(() => 1)
  metrics.observeTotals({ users: 1, catches: [{ kind: 'fish', gamemode: 'earth', count: 1 }] })
  const { body } = await metrics.render()
  metrics.dispose()
  const samples = body.matchAll(/^(\w+)(?:\{(.*)\})? /gm)
  return new Map(Array.from(samples, ([, name = '', labels = '']) => [name, namesIn(labels, /(\w+)="/g)]))
}

/** @throws Error if the query contains a metric that the server does not have, or a label that its metrics do not have */
export function checkQuery(query: string, metrics: ReadonlyMap<string, readonly string[]>): string {
  const used = query.matchAll(/\b((?:fish|process|nodejs)_\w+)(?:\{(.*?)\})?/g)
  const known = new Set(ADDED_LABELS)
  for (const [, name = '', selector = ''] of used) {
    const labels = metrics.get(name)
    if (!labels) throw new Error(`The server has no metric ${name}: ${query}`)
    for (const label of labels) known.add(label)
    checkLabels(namesIn(selector, /(\w+)(?==|!)/g), [...labels, ...ADDED_LABELS])
  }
  for (const [, grouped = ''] of query.matchAll(/\b(?:by|on) \((.*?)\)/g))
    checkLabels(namesIn(grouped, /(\w+)/g), [...known])
  return query

  function checkLabels(labels: readonly string[], allowed: readonly string[]): void {
    const unknown = labels.find((label) => !allowed.includes(label))
    if (unknown !== undefined) throw new Error(`The metrics have no label ${unknown}: ${query}`)
  }
}

function namesIn(text: string, pattern: RegExp): readonly string[] {
  return Array.from(text.matchAll(pattern), ([, name = '']) => name)
}
