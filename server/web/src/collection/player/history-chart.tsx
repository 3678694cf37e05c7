import { greatest, sum } from 'd3-array'
import { scaleBand, scaleLinear } from 'd3-scale'
import { useId, useMemo } from 'preact/hooks'
import { type History, historyOf, localDays, type Period } from '../../data/history.ts'
import type { DayCount } from '../../data/profile.ts'
import { formatCompact, formatNumber, useFormats } from '../../parts/format.ts'
import { historyTexts as texts } from '../../texts/history.ts'
import { ScrollArea } from './scroll-area.tsx'

/** Catches over time. */
export function HistoryChart({ days }: { readonly days: readonly DayCount[] }) {
  const id = useId()
  const history = useMemo(() => historyOf(localDays(days), Date.now()), [days])
  if (!history) return null
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{texts.title}</h2>
      <Columns {...history} />
    </section>
  )
}

/** The approximate number of marked counts. */
const LEVELS = 4
/** Width of the widest column. */
const MAX_WIDTH = '2.5rem'
/** Maximum number of month labels that fit below the chart on a phone. */
const MAX_LABELS = 3

function Columns({ unit, periods }: History) {
  const formats = useFormats()
  const [first, last] = [periods[0], periods.at(-1)]
  const busiest = greatest(periods, ({ count }) => count)
  if (!first || !last || !busiest) return null
  const label = (period: Period) =>
    unit === 'month'
      ? formats.month(period.start)
      : unit === 'week'
        ? texts.week(formats.date(period.start))
        : formats.date(period.start)
  const most = texts.most(busiest.count, label(busiest))
  const total = sum(periods, ({ count }) => count)
  const summary = texts.summary(total, unit, label(first), label(last), most)
  // Positions are in percent of the drawing.
  const y = scaleLinear([0, Math.max(LEVELS, busiest.count)], [100, 0]).nice(LEVELS)
  const x = scaleBand(
    periods.map(({ start }) => start),
    [0, 100],
  ).paddingInner(0.2)
  const step = Math.ceil(periods.length / MAX_LABELS)
  const labelled = [...periods].reverse().filter((_, index) => index % step === 0)
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
          const left = x(period.start) ?? 0
          const width = percent(x.bandwidth())
          return (
            <g key={period.start} class="period">
              <title>{`${label(period)}: ${formatNumber(period.count)}`}</title>
              <rect class="hover" x={percent(left)} width={width} height="100%" />
              <rect
                class="column narrow"
                x={percent(left + x.bandwidth() / 2)}
                y={percent(y(period.count))}
                style={{ width: `min(${width}, ${MAX_WIDTH})` }}
                height={percent(100 - y(period.count))}
              />
            </g>
          )
        })}
        {labelled.map(({ start }) => (
          <text key={start} class="start" x={percent((x(start) ?? 0) + x.bandwidth() / 2)} y="100%" dy="1.5em">
            {unit === 'month' ? formats.shortMonth(start) : formats.day(start)}
          </text>
        ))}
      </svg>
      <figcaption>
        {texts.mostIn[unit]} {most}
      </figcaption>
      <details>
        <summary>{texts.table}</summary>
        <ScrollArea label={texts.tableLabel}>
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.units[unit]}</th>
                <th scope="col" class="number">
                  {texts.catches}
                </th>
              </tr>
            </thead>
            <tbody>
              {periods
                .filter(({ count }) => count > 0)
                .reverse()
                .map((period) => (
                  <tr key={period.start}>
                    <th scope="row">{label(period)}</th>
                    <td class="number">{formatNumber(period.count)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </ScrollArea>
      </details>
    </figure>
  )
}
