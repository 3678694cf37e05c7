import { greatest, sum } from 'd3-array'
import { scaleBand, scaleLinear } from 'd3-scale'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Fresh } from '../data/follow.ts'
import { type Days, dayOf, type History, historyOf, type Period } from '../data/history.ts'
import {
  formatCompact,
  formatDate,
  formatDay,
  formatMonth,
  formatNumber,
  formatShortMonth,
  plural,
} from '../parts/format.ts'
import { TableScroll } from './table-scroll.tsx'

/** Above this, times are loaded only for those who ask: 100,000 catches are megabytes. */
const MAX_AUTOMATIC = 20_000

interface HistoryChartProps {
  readonly total: number
  readonly fresh: readonly Fresh[]
  readonly load: (signal: AbortSignal) => Promise<Days | undefined>
}

/** When fish were caught. */
export function HistoryChart({ total, fresh, load }: HistoryChartProps) {
  const [isWanted, setWanted] = useState(total <= MAX_AUTOMATIC)
  const [days, setDays] = useState<Days | 'failed'>()

  useEffect(() => {
    if (!isWanted) return
    const controller = new AbortController()
    void load(controller.signal).then((loaded) => {
      if (!controller.signal.aborted) setDays(loaded ?? 'failed')
    })
    return () => controller.abort()
  }, [isWanted, load])

  // Later catches are added to what was loaded: loading all times again would cost a request.
  useEffect(() => {
    const added = fresh.filter(({ kind }) => kind === 'fish')
    if (added.length === 0) return
    setDays((known) => {
      if (known === undefined || known === 'failed') return known
      const next = new Map(known)
      for (const { added: count, lastCaughtAt } of added) {
        const day = dayOf(lastCaughtAt === undefined ? Date.now() : Date.parse(lastCaughtAt))
        next.set(day, (next.get(day) ?? 0) + count)
      }
      return next
    })
  }, [fresh])

  const history = useMemo(() => (days instanceof Map ? historyOf(days, Date.now()) : undefined), [days])
  return (
    <section class="panel" aria-labelledby="history" aria-busy={isWanted && days === undefined}>
      <h2 id="history">Fish over time</h2>
      {history ? (
        <Columns {...history} />
      ) : days === 'failed' ? (
        <p class="quiet">The times of the catches could not be loaded. Reload the page to try again.</p>
      ) : isWanted ? (
        <div class="placeholder tall" />
      ) : (
        <>
          <p class="quiet">{plural(total, 'catch', 'catches')} take a moment to count by day.</p>
          <button type="button" onClick={() => setWanted(true)}>
            Count them
          </button>
        </>
      )}
    </section>
  )
}

/** About how many counts are marked. */
const LEVELS = 4
/** So many months have room below the chart on a phone. */
const MAX_LABELS = 3

function Columns({ unit, periods }: History) {
  const [first, last] = [periods[0], periods.at(-1)]
  const busiest = greatest(periods, ({ count }) => count)
  if (!first || !last || !busiest) return null
  const label = (period: Period) =>
    unit === 'month'
      ? formatMonth(period.start)
      : unit === 'week'
        ? `week of ${formatDate(period.start)}`
        : formatDate(period.start)
  const most = `${formatNumber(busiest.count)} (${label(busiest)})`
  const total = plural(
    sum(periods, ({ count }) => count),
    'fish',
    'fish',
  )
  const summary = `${total} by ${unit}, from ${label(first)} to ${label(last)}. Most: ${most}.`
  // In percent of the drawing.
  const y = scaleLinear([0, Math.max(1, busiest.count)], [100, 0]).nice(LEVELS)
  const x = scaleBand(
    periods.map(({ start }) => start),
    [0, 100],
  ).paddingInner(0.2)
  const step = Math.ceil(periods.length / MAX_LABELS)
  const labelled = periods.toReversed().filter((_, index) => index % step === 0)
  const percent = (value = 0) => `${value}%`
  return (
    <figure class="history">
      <svg role="img" aria-label={summary}>
        <title>{summary}</title>
        {y
          .ticks(LEVELS)
          .filter(Number.isInteger)
          .map((count) => (
            <g key={count} class="level">
              <line x2="100%" y1={percent(y(count))} y2={percent(y(count))} />
              <text x="-0.5em" y={percent(y(count))} dy="0.32em">
                {formatCompact(count)}
              </text>
            </g>
          ))}
        {periods.map((period) => {
          const [left, width] = [percent(x(period.start)), percent(x.bandwidth())]
          return (
            <g key={period.start} class="period">
              <title>{`${label(period)}: ${formatNumber(period.count)}`}</title>
              <rect class="hover" x={left} width={width} height="100%" />
              <rect
                class="column"
                x={left}
                y={percent(y(period.count))}
                width={width}
                height={percent(100 - y(period.count))}
              />
            </g>
          )
        })}
        {labelled.map(({ start }) => (
          <text key={start} class="start" x={percent((x(start) ?? 0) + x.bandwidth() / 2)} y="100%" dy="1.5em">
            {unit === 'month' ? formatShortMonth(start) : formatDay(start)}
          </text>
        ))}
      </svg>
      <figcaption>
        Most in a {unit}: {most}
      </figcaption>
      <details>
        <summary>As a table</summary>
        <TableScroll label="Fish over time as a table">
          <table>
            <thead>
              <tr>
                <th scope="col">{unit === 'day' ? 'Day' : unit === 'week' ? 'Week' : 'Month'}</th>
                <th scope="col" class="number">
                  Fish
                </th>
              </tr>
            </thead>
            <tbody>
              {periods
                .filter(({ count }) => count > 0)
                .toReversed()
                .map((period) => (
                  <tr key={period.start}>
                    <th scope="row">{label(period)}</th>
                    <td class="number">{formatNumber(period.count)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </TableScroll>
      </details>
    </figure>
  )
}
