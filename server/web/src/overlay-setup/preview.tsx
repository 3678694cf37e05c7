import { GAMEMODES } from '@fish-crab/sdk/constants'
import { useState } from 'preact/hooks'
import { type Cabinet, type Caught, freshOf, withCatches } from '../data/cabinet.ts'
import type { OverlayOptions } from '../data/overlay-options.ts'
import { summarize } from '../data/summary.ts'
import { OverlayView } from '../overlay/overlay-view.tsx'
import { afterUpdate, NOTHING_SHOWN, type Shown } from '../overlay/shown.ts'
import { useShown } from '../overlay/use-shown.ts'
import { Scene } from './scene.tsx'

/** The catches that the button adds, one per press. */
const CATCHES: readonly Pick<Caught, 'kind' | 'name' | 'rarity'>[] = [
  { kind: 'fish', name: 'Herring', rarity: 'Silver' },
  { kind: 'fish', name: 'Sturgeon', rarity: 'Diamond' },
  { kind: 'crab', name: 'Fiddler crab' },
  { kind: 'fish', name: 'Golden koi', rarity: 'Platinum' },
  { kind: 'fish', name: 'Leviathan', rarity: 'Mythical' },
]

/** A made-up collection, so that the preview sends no request. */
function sampleOf(gamemode: string): Cabinet {
  const fish = summarize([
    { name: 'Salmon', rarity: 'Gold', caughtAt: '2026-01-02T00:00:00.000Z' },
    { name: 'Cod', rarity: 'Bronze', caughtAt: '2026-01-03T00:00:00.000Z' },
  ])
  const crab = summarize([{ name: 'Hermit crab', caughtAt: '2026-01-01T00:00:00.000Z' }])
  return { user: 'Alex', gamemodes: [{ gamemode, fish, crab }], days: [], streak: { current: 0, longest: 0 } }
}

/** The initial state: a running session and a goal that is almost reached. */
function startOf(options: OverlayOptions, now: number): Shown {
  const { gamemode = GAMEMODES[0] } = options
  const start = afterUpdate(NOTHING_SHOWN, { cabinet: sampleOf(gamemode), fresh: [] }, options, now)
  const { session, goal } = start
  const rarest = {
    kind: 'fish',
    gamemode,
    name: 'Salmon',
    rarity: 'Gold',
    count: 1,
    added: 1,
  } as const
  const isFishing = options.kind !== 'crab'
  return {
    ...start,
    session: { ...session, fish: isFishing ? 23 : 0, crab: 4, rarest: isFishing ? rarest : undefined },
    goal: goal && { ...goal, count: Math.floor(options.goal * 0.72) },
  }
}

const now = () => Date.now()

/** Shows the overlay over a game, with catches at the push of a button. */
export function Preview({ options }: { readonly options: OverlayOptions }) {
  const { gamemode = GAMEMODES[0], kind, mode, rarity } = options
  const [start] = useState(() => startOf(options, now()))
  const [shown, update] = useShown(options, now, start)
  const [caught, setCaught] = useState(0)
  const some = CATCHES.filter((one) => kind === undefined || one.kind === kind)
  const catchOne = () => {
    const before = shown.followed.cabinet ?? sampleOf(gamemode)
    const one = some[caught % some.length] as (typeof CATCHES)[number]
    const counts = mode === 'goal' && rarity !== undefined && one.kind === 'fish'
    const entry = { ...one, gamemode, rarity: counts ? rarity : one.rarity, caughtAt: new Date(now()).toISOString() }
    const cabinet = withCatches(before, [entry])
    update({ cabinet, fresh: freshOf(before, cabinet) })
    setCaught(caught + 1)
  }
  const isWaiting = mode === 'alert' && !shown.alerts.current
  return (
    <section class="panel preview" aria-labelledby="preview">
      <div class="preview-head">
        <h2 id="preview">Preview</h2>
        <button type="button" class={isWaiting ? 'primary' : ''} onClick={catchOne}>
          Catch something
        </button>
      </div>
      <div class="scene">
        <Scene />
        <OverlayView options={options} shown={shown} />
      </div>
      <p class="quiet">{isWaiting && 'Alerts appear only at a catch. Press “Catch something”.'}</p>
    </section>
  )
}
