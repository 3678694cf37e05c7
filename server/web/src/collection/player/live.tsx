import { useEffect, useState } from 'preact/hooks'
import type { StreamState } from '../../data/follow.ts'
import { Time } from '../../parts/time.tsx'
import { playerTexts } from '../../texts/player.tsx'

interface LiveProps {
  /** Absent until the page takes over what the server drew. */
  readonly stream: StreamState | undefined
  /** The time at which the collection was last current, in Unix milliseconds. */
  readonly updatedAt: number | undefined
}

/** Whether new catches appear immediately, or how old the collection is and why. Its place is as large in each state. */
export function Live({ stream, updatedAt }: LiveProps) {
  const isPolled = stream === 'pages' || stream === 'streams'
  return (
    <p class="live">
      <span class={stream === 'open' ? 'dot' : 'dot closed'} aria-hidden="true" />
      {stream === 'open' ? (
        <span class="live-text">{playerTexts.live}</span>
      ) : (
        stream && (
          <span class="live-text">
            {updatedAt !== undefined && (
              <>
                <Age since={updatedAt} />
                {' · '}
              </>
            )}
            {playerTexts.notLive[stream]}
            {isPolled && <span class="live-polls">, {playerTexts.polls}</span>}
          </span>
        )
      )}
    </p>
  )
}

const MINUTE = 60_000

/** Counts the seconds of the first minute, and then the minutes. Screen readers read the time instead. */
function Age({ since }: { readonly since: number }) {
  const [now, setNow] = useState(() => Date.now())
  const age = Math.max(0, now - since)
  const step = age < MINUTE ? 1000 : MINUTE
  useEffect(() => setNow(Date.now()), [since])
  useEffect(() => {
    const timer = setTimeout(() => setNow(Date.now()), step - (age % step))
    return () => clearTimeout(timer)
  }, [age, step])
  return (
    <>
      <span class="age" aria-hidden="true">
        {playerTexts.updated(age)}
      </span>
      <span class="visually-hidden">{playerTexts.updatedAt(<Time at={since} format="time" />)}</span>
    </>
  )
}
