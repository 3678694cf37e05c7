type Labels = Readonly<Record<string, string | number>>

/** Content type of the text format (Prometheus documentation, "Exposition formats"). */
export const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8'

export function createCounter(name: string, help: string) {
  const counts = new Map<string, number>()
  return {
    increment(labels: Labels) {
      const key = labelText(labels)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    lines: () => [
      ...headerLines(name, help, 'counter'),
      ...Array.from(counts, ([labels, count]) => sampleLine(name, labels, count)),
    ],
  }
}

/** Creates a gauge or counter that is read at each scrape, and omitted if that fails. */
export function createObservable(name: string, help: string, type: 'counter' | 'gauge', read: () => number) {
  return {
    lines() {
      try {
        return [...headerLines(name, help, type), sampleLine(name, '', read())]
      } catch {
        // For example when no file descriptor is free: then the other metrics matter most.
        return []
      }
    },
  }
}

/** Creates a histogram. @param buckets upper bounds, ascending, without infinity */
export function createHistogram(name: string, help: string, buckets: readonly number[]) {
  const series = new Map<string, { readonly counts: number[]; sum: number }>()

  function linesOf(labels: string, counts: readonly number[], sum: number): string[] {
    let total = 0
    const bucketLines = counts.map((count, index) => {
      total += count
      const bound = labelText({ le: buckets[index] ?? '+Inf' })
      return sampleLine(`${name}_bucket`, labels === '' ? bound : `${labels},${bound}`, total)
    })
    return [...bucketLines, sampleLine(`${name}_sum`, labels, sum), sampleLine(`${name}_count`, labels, total)]
  }

  return {
    observe(value: number, labels: Labels) {
      const key = labelText(labels)
      let one = series.get(key)
      if (!one) {
        one = { counts: new Array<number>(buckets.length + 1).fill(0), sum: 0 }
        series.set(key, one)
      }
      const found = buckets.findIndex((bound) => value <= bound)
      const bucket = found === -1 ? buckets.length : found
      one.counts[bucket] = (one.counts[bucket] ?? 0) + 1
      one.sum += value
    },
    lines: () => [
      ...headerLines(name, help, 'histogram'),
      ...Array.from(series).flatMap(([labels, { counts, sum }]) => linesOf(labels, counts, sum)),
    ],
  }
}

export function renderText(metrics: readonly { lines(): string[] }[]): string {
  return `${metrics.flatMap((metric) => metric.lines()).join('\n')}\n`
}

function headerLines(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`, `# TYPE ${name} ${type}`]
}

function labelText(labels: Labels): string {
  let text = ''
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escapeLabel(String(labels[name]))}"`
  return text
}

function escapeLabel(value: string): string {
  return /[\\"\n]/.test(value) ? value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n') : value
}

function sampleLine(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}`
}
