type Labels = Readonly<Record<string, string | number>>

/** Content type of the text format (Prometheus documentation, "Exposition formats"). */
export const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8'

export function createCounter(name: string, help: string) {
  const series = createSeries(() => ({ count: 0 }))
  return {
    increment(labels: Labels) {
      series.of(labels).count += 1
    },
    lines: () => [
      ...headerLines(name, help, 'counter'),
      ...series.all().map(({ labels, data }) => sampleLine(name, labelText(labels), data.count)),
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

/** Creates gauges that are read at each scrape; none without samples. */
export function createGauges(
  name: string,
  help: string,
  read: () => readonly { readonly labels: Labels; readonly value: number }[],
) {
  return {
    lines() {
      const samples = read()
      if (samples.length === 0) return []
      return [
        ...headerLines(name, help, 'gauge'),
        ...samples.map(({ labels, value }) => sampleLine(name, labelText(labels), value)),
      ]
    },
  }
}

/** Creates a histogram. @param buckets upper bounds, ascending, without infinity */
export function createHistogram(name: string, help: string, buckets: readonly number[]) {
  const series = createSeries(() => ({ counts: new Array<number>(buckets.length + 1).fill(0), sum: 0 }))

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
      const one = series.of(labels)
      const found = buckets.findIndex((bound) => value <= bound)
      const bucket = found === -1 ? buckets.length : found
      one.counts[bucket] = (one.counts[bucket] ?? 0) + 1
      one.sum += value
    },
    lines: () => [
      ...headerLines(name, help, 'histogram'),
      ...series.all().flatMap(({ labels, data: { counts, sum } }) => linesOf(labelText(labels), counts, sum)),
    ],
  }
}

/** The data of each combination of label values, found without writing the labels as text. */
function createSeries<Data>(create: () => Data) {
  const all = new Map<string, { readonly labels: Labels; readonly data: Data }>()
  return {
    of(labels: Labels): Data {
      let key = ''
      for (const name in labels) key += `${labels[name]}\0`
      let one = all.get(key)
      if (!one) {
        one = { labels, data: create() }
        all.set(key, one)
      }
      return one.data
    },
    all: () => [...all.values()],
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
