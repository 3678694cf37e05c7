import { useEffect, useState } from 'preact/hooks'
import { formatDuration, formatTime } from './format.ts'

/** Shows a countdown every second. Screen readers announce the end time instead. */
export function Countdown({ until }: { readonly until: number }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      <span class="countdown" aria-hidden="true">
        in {formatDuration(until - now)}
      </span>
      <span class="visually-hidden">at {formatTime(until)}</span>
    </>
  )
}
