import type { Client } from '@fish-crab/sdk'
import { isUserName } from '@fish-crab/sdk/constants'
import { useEffect, useState } from 'preact/hooks'
import { followCollection, type PageContext, type Problem } from '../data/follow.ts'
import { loadPlayer } from '../data/load.ts'
import type { OverlayOptions } from '../data/overlay-options.ts'
import { openStream } from '../data/stream.ts'
import { overlayTexts } from '../texts/overlay.ts'
import { problemsTexts } from '../texts/problems.tsx'
import { OverlayView } from './overlay-view.tsx'
import { useShown } from './use-shown.ts'

interface OverlayProps {
  readonly client: Client
  readonly context: PageContext
  readonly name: string
  readonly options: OverlayOptions
  /** Parameters of the address that are unknown or have an invalid value. */
  readonly ignored: readonly string[]
}

/** Delay before an outage is shown. A server restarts in less time, and viewers need not see short outages. */
const PATIENCE_MS = 20_000

export function Overlay({ client, context, name, options, ignored }: OverlayProps) {
  const [shown, update] = useShown(options, context.now)
  const { gamemode } = options
  const isName = isUserName(name)
  useEffect(() => {
    if (!isName) return undefined
    const following = followCollection({
      client,
      load: loadPlayer(name),
      context,
      listen: openStream(client, { user: name, gamemode }),
      onUpdate: update,
      stayMs: 0,
    })
    return () => following.stop()
  }, [client, context, name, isName, gamemode, update])

  const { profile, problem, isUnknown: isNobody } = shown.followed
  const isTroubled = problem !== undefined
  const [isPatient, setPatient] = useState(true)
  useEffect(() => {
    setPatient(true)
    if (!isTroubled) return undefined
    const timer = setTimeout(() => setPatient(false), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [isTroubled])
  const isUnknown = !isName || isNobody
  const note = isUnknown
    ? overlayTexts.unknown(name)
    : problem && !(profile && isPatient)
      ? describe(problem)
      : undefined
  return (
    <OverlayView
      options={options}
      shown={shown}
      notes={[...(ignored.length > 0 ? [overlayTexts.invalid(ignored)] : []), ...(note === undefined ? [] : [note])]}
    />
  )
}

/** Says the same as the pages. An overlay has no button, because nobody can press it in streaming software. */
function describe(problem: Problem) {
  return (
    <>
      {problemsTexts.causes[problem.kind].title}. {problemsTexts.next(problem)}
    </>
  )
}
