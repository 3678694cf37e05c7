import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Fresh } from '../data/follow.ts'
import { type Days, dayOf, type History, historyOf, type Period } from '../data/history.ts'
import { formatDate, formatMonth, formatNumber, plural } from '../parts/format.ts'
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
        <Bars {...history} />
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

const UNITS = { day: 'day', week: 'week', month: 'month' } as const

function Bars({ unit, periods }: History) {
  const most = Math.max(1, ...periods.map(({ count }) => count))
  const sum = periods.reduce((total, { count }) => total + count, 0)
  const label = (period: Period) =>
    unit === 'month'
      ? formatMonth(period.start)
      : unit === 'week'
        ? `week of ${formatDate(period.start)}`
        : formatDate(period.start)
  const busiest = periods.find(({ count }) => count === most)
  const [first, last] = [periods[0], periods.at(-1)]
  if (!first || !last || !busiest) return null
  const summary = `${plural(sum, 'fish', 'fish')} by ${UNITS[unit]}, from ${label(first)} to ${label(last)}. Most: ${formatNumber(most)} (${label(busiest)}).`
  const width = 100 / periods.length
  return (
    <figure class="history">
      <svg viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label={summary}>
        <title>{summary}</title>
        {periods.map((period, index) => {
          const height = (period.count / most) * 40
          return (
            <g key={period.start}>
              <rect class="hover" x={index * width} y={0} width={width} height={40}>
                <title>{`${label(period)}: ${formatNumber(period.count)}`}</title>
              </rect>
              <rect
                class="column"
                x={index * width + width * 0.1}
                y={40 - height}
                width={width * 0.8}
                height={height}
              />
            </g>
          )
        })}
      </svg>
      <figcaption>
        <span>{unit === 'month' ? formatMonth(first.start) : formatDate(first.start)}</span>
        <span>
          most in a {UNITS[unit]}: {formatNumber(most)}
        </span>
        <span>now</span>
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
