import type { FreshSpecies, Month, MonthFigures } from '../../../src/page-data.ts'
import { monthPath, playerPath } from '../data/address.ts'
import { Creature, LateCreature, tintOf } from '../parts/creature.tsx'
import { formatNumber, UTC } from '../parts/format.ts'
import { RarityBars } from '../parts/rarity-bars.tsx'
import { ShareButton } from '../parts/share-button.tsx'
import { catchesTexts } from '../texts/catches.ts'
import { monthTexts as texts } from '../texts/month.tsx'
import { CountList, Emblem } from './player/head.tsx'

/** The catches of a player in a month. Only the server counts a month, so an open page never changes. */
export function MonthPage({ user, month, earlier, later, figures }: Month) {
  const isEmpty = figures === undefined || figures.total === 0
  return (
    <>
      <Hero user={user} month={month} figures={figures} />
      <nav class="months" aria-label={texts.months}>
        {earlier !== undefined && (
          <a href={monthPath(user, earlier)} rel="prev">
            ← <MonthName month={earlier} />
          </a>
        )}
        {later !== undefined && (
          <a class="later" href={monthPath(user, later)} rel="next">
            <MonthName month={later} /> →
          </a>
        )}
      </nav>
      {isEmpty ? (
        <div class="panel empty">
          <Creature kind="fish" name="nothing" rarity="Unknown/Other" />
          <p>
            <strong>{figures ? texts.nothing(<MonthName month={month} />) : texts.tooManyDays}</strong>
          </p>
          <p class="quiet">
            {texts.whole(
              (text) => (
                <a href={playerPath(user)}>{text}</a>
              ),
              user,
            )}
          </p>
        </div>
      ) : (
        <Figures month={month} figures={figures} />
      )}
    </>
  )
}

/** Catches count in months of UTC, in every zone. */
function MonthName({ month }: Pick<Month, 'month'>) {
  return (
    <time class="month-name" dateTime={month}>
      {UTC.month(month)}
    </time>
  )
}

function Hero({ user, month, figures }: Pick<Month, 'user' | 'month' | 'figures'>) {
  const best = figures?.best
  return (
    <section class="banner month-head" aria-label={texts.month}>
      <Emblem user={user} rarest={best} />
      <div class="who">
        <h1>
          {user} <MonthName month={month} />
        </h1>
        {figures && figures.total > 0 && <Counts {...figures} />}
      </div>
      {best && (
        <ol class="showcase" aria-label={texts.best}>
          <li class={`display ${tintOf(best.rarity)}`} title={best.name}>
            {best.name !== undefined && <Creature kind="fish" name={best.name} rarity={best.rarity} />}
            <span class="quiet">{texts.best}</span>
            {best.name !== undefined && <span class="display-name">{best.name}</span>}
            <span class="display-rarity">{best.rarity}</span>
          </li>
        </ol>
      )}
      <div class="actions">
        <ShareButton title={texts.title(user, UTC.month(month))} path={monthPath(user, month)} />
        <a class="button" href={playerPath(user)}>
          {texts.collection}
        </a>
      </div>
    </section>
  )
}

function Counts({ fish, crabs, fresh, streak }: MonthFigures) {
  const { labels } = catchesTexts
  const counts = [
    { label: labels.fish(), value: fish },
    { label: labels.crab(crabs), value: crabs },
    ...(fresh ? [{ label: labels.newSpecies(), value: fresh.count }] : []),
    ...(streak > 1 ? [{ label: labels.streak(), value: streak }] : []),
  ]
  return <CountList counts={counts} />
}

function Figures({ month, figures }: { readonly month: string; readonly figures: MonthFigures }) {
  const { total, byRarity, days, activeDays, fish, bestDay, fresh } = figures
  return (
    <>
      <div class="charts month-charts">
        <section class="panel" aria-labelledby="days">
          <h2 id="days">{texts.days}</h2>
          <p class="quiet">
            {texts.active(total, activeDays, days.length)}{' '}
            {bestDay && texts.bestDay(<time dateTime={bestDay.day}>{UTC.day(bestDay.day)}</time>, bestDay.count)}
          </p>
          <DayChart month={month} days={days} />
        </section>
        {fish > 0 && (
          <section class="panel" aria-labelledby="rarities">
            <h2 id="rarities">{catchesTexts.rarities}</h2>
            <RarityBars counts={byRarity} />
          </section>
        )}
      </div>
      {fresh ? <NewSpecies {...fresh} /> : <p class="panel quiet month-note">{texts.tooManySpecies}</p>}
    </>
  )
}

/** Height of the drawing in units of its columns, which have a width of 1. */
const HEIGHT = 12
/** The day of a month with few catches does not fill the drawing. */
const LEAST_SCALE = 4
/** The days with a label below the chart. */
const LABELLED = [1, 8, 15, 22, 29]

function DayChart({ month, days }: { readonly month: string; readonly days: readonly number[] }) {
  const most = Math.max(...days)
  const scale = Math.max(LEAST_SCALE, most)
  const percent = (share: number) => `${Math.round(share * 10_000) / 100}%`
  const dateOf = (day: number) => UTC.day(`${month}-${String(day).padStart(2, '0')}`)
  return (
    <figure class="history month-days">
      <ul class="visually-hidden">
        {days.map((count, index) => count > 0 && <li key={index}>{`${dateOf(index + 1)}: ${formatNumber(count)}`}</li>)}
      </ul>
      <svg aria-hidden="true">
        {days.map((count, index) => {
          const height = count === 0 ? 0.01 : Math.max(1 / (2 * HEIGHT), count / scale)
          const [left, width] = [index / days.length, 1 / days.length]
          return (
            <g key={index} class="period">
              <title>{`${dateOf(index + 1)}: ${formatNumber(count)}`}</title>
              <rect class="hover" x={percent(left)} width={percent(width)} height="100%" />
              <rect
                class={index === days.indexOf(most) ? 'column best gold' : 'column'}
                x={percent(left + width * 0.12)}
                y={percent(1 - height)}
                width={percent(width * 0.76)}
                height={percent(height)}
                rx="2"
              />
            </g>
          )
        })}
        {LABELLED.filter((day) => day <= days.length).map((day) => (
          <text key={day} class="start" x={percent((day - 0.5) / days.length)} y="100%" dy="1.5em">
            {day}
          </text>
        ))}
      </svg>
    </figure>
  )
}

function NewSpecies({ count, rarest }: NonNullable<MonthFigures['fresh']>) {
  if (count === 0) return null
  const others = count - rarest.length
  return (
    <section class="month-species" aria-labelledby="new">
      <h2 id="new">
        {texts.newSpecies} <span class="quiet">{formatNumber(count)}</span>
      </h2>
      <ul class="cards">
        {rarest.map((one) => (
          <NewCard key={`${one.kind} ${one.name}`} {...one} />
        ))}
      </ul>
      {others > 0 && <p class="quiet">{texts.more(others)}</p>}
    </section>
  )
}

function NewCard({ kind, name, rarity }: FreshSpecies) {
  return (
    <li class={`card ${tintOf(rarity)}`}>
      <div class="card-picture">
        <LateCreature kind={kind} name={name} rarity={rarity} />
      </div>
      <div class="card-text">
        <p class="card-name">{name}</p>
        <p class="card-rarity">{rarity ?? catchesTexts.crab}</p>
      </div>
    </li>
  )
}
