import { GAMEMODES } from '@fish-crab/sdk/constants'
import { useState } from 'preact/hooks'
import type { OverlayOptions } from '../data/overlay-options.ts'
import { type Caught, emptyProfile, freshOf, withCatches } from '../data/profile.ts'
import { OverlayView } from '../overlay/overlay-view.tsx'
import { afterUpdate, NOTHING_SHOWN, type Shown } from '../overlay/shown.ts'
import { useShown } from '../overlay/use-shown.ts'
import { overlaySetupTexts as texts } from '../texts/overlay-setup.ts'
import { Scene } from './scene.tsx'

/** The catches that the button adds, one per press. */
const CATCHES: readonly Pick<Caught, 'kind' | 'name' | 'rarity'>[] = [
  { kind: 'fish', name: 'Herring', rarity: 'Silver' },
  { kind: 'fish', name: 'Sturgeon', rarity: 'Diamond' },
  { kind: 'crab', name: 'Fiddler crab' },
  { kind: 'fish', name: 'Golden koi', rarity: 'Platinum' },
  { kind: 'fish', name: 'Leviathan', rarity: 'Mythical' },
]

/** A made-up profile, so that the preview sends no request. */
const sampleOf = (gamemode: string) =>
  withCatches(emptyProfile('Alex', [gamemode]), [
    { kind: 'fish', gamemode, name: 'Salmon', rarity: 'Gold', caughtAt: '2026-01-02T00:00:00.000Z' },
    { kind: 'fish', gamemode, name: 'Cod', rarity: 'Bronze', caughtAt: '2026-01-03T00:00:00.000Z' },
    { kind: 'crab', gamemode, name: 'Hermit crab', caughtAt: '2026-01-01T00:00:00.000Z' },
  ])

/** The initial state: a running session and a goal that is almost reached. */
function startOf(options: OverlayOptions, now: number): Shown {
  const { gamemode = GAMEMODES[0] } = options
  const start = afterUpdate(NOTHING_SHOWN, { profile: sampleOf(gamemode), fresh: [] }, options, now)
  const { session, goal } = start
  const rarest = { kind: 'fish', gamemode, name: 'Salmon', rarity: 'Gold', added: 1 } as const
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
    const before = shown.followed.profile ?? sampleOf(gamemode)
    const one = some[caught % some.length] as (typeof CATCHES)[number]
    const counts = mode === 'goal' && rarity !== undefined && one.kind === 'fish'
    const entry = { ...one, gamemode, rarity: counts ? rarity : one.rarity, caughtAt: new Date(now()).toISOString() }
    const profile = withCatches(before, [entry])
    update({ profile, fresh: freshOf(before, profile) })
    setCaught(caught + 1)
  }
  const isWaiting = mode === 'alert' && !shown.alerts.current
  return (
    <section class="panel preview" aria-labelledby="preview">
      <div class="preview-head">
        <h2 id="preview">{texts.preview}</h2>
        <button type="button" class={isWaiting ? 'primary' : ''} onClick={catchOne}>
          {texts.catchOne}
        </button>
      </div>
      <div class="scene">
        <Scene />
        <OverlayView options={options} shown={shown} />
      </div>
      <p class="quiet">{isWaiting && texts.alertsWait}</p>
    </section>
  )
}
