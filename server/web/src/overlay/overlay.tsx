import type { Client } from '@fish-crab/sdk'
import { isUserName } from '@fish-crab/sdk/constants'
import { useEffect, useState } from 'preact/hooks'
import { collectionOf } from '../data/cabinet.ts'
import { type Followed, followCollection, type PageContext } from '../data/follow.ts'
import { loadPlayer } from '../data/load.ts'
import type { OverlayOptions } from '../data/overlay-options.ts'
import { openStream } from '../data/stream.ts'
import { firstItems, type Item, stillIn, withFresh } from './feed.ts'
import { OverlayView } from './overlay-view.tsx'

interface OverlayProps {
  readonly client: Client
  readonly context: PageContext
  readonly name: string
  readonly options: OverlayOptions
}

interface Shown {
  readonly followed: Followed
  readonly items: readonly Item[]
}

/** Longer than the restart of a server: what passes by itself needs no word on a stream. */
const PATIENCE_MS = 20_000

export function Overlay({ client, context, name, options }: OverlayProps) {
  const [{ followed, items }, setShown] = useState<Shown>({ followed: { fresh: [] }, items: [] })
  const { gamemode } = options
  const isName = isUserName(name)
  useEffect(() => {
    if (!isName) return undefined
    const target = { user: name, gamemode }
    const following = followCollection({
      client,
      load: loadPlayer(name),
      context,
      listen: openStream(client, target),
      onUpdate: (next) => setShown((shown) => ({ followed: next, items: nextItems(shown, next, options) })),
      stayMs: 0,
    })
    return () => following.stop()
  }, [client, context, name, isName, gamemode, options])

  const { cabinet, problem } = followed
  // A limit ends polls, not the stream.
  const isTroubled = problem !== undefined && !(problem.kind === 'limited' && cabinet)
  const [isPatient, setPatient] = useState(true)
  useEffect(() => {
    setPatient(true)
    if (!isTroubled) return undefined
    const timer = setTimeout(() => setPatient(false), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [isTroubled])
  const isUnknown = !isName || followed.isUnknown
  const note = isUnknown ? `No player “${name}”` : isTroubled && !isPatient ? 'Reconnecting' : undefined
  return (
    <OverlayView options={options} collection={cabinet && collectionOf(cabinet, gamemode)} items={items} note={note} />
  )
}

function nextItems({ followed, items }: Shown, { cabinet, fresh }: Followed, { gamemode, kind }: OverlayOptions) {
  if (!cabinet || cabinet === followed.cabinet) return items
  const collection = collectionOf(cabinet, gamemode)
  if (!followed.cabinet) return firstItems(collection, kind)
  const isShown = fresh !== followed.fresh
  return withFresh(
    stillIn(collection, items),
    fresh.filter((one) => isShown && one.gamemode === gamemode),
    kind,
  )
}
