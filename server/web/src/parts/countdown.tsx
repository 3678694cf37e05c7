import { useEffect, useState } from 'preact/hooks'
import { formatDuration, useFormats } from './format.ts'

/** Shows a countdown every second. Screen readers and pages without JavaScript get the end time instead. */
export function Countdown({ until }: { readonly until: number }) {
  const [now, setNow] = useState<number>()
  const formats = useFormats()
  useEffect(() => {
    const tick = () => setNow(Date.now())
    tick()
    const timer = setInterval(tick, 1000)
    return () => clearInterval(timer)
  }, [])
  const isCounting = now !== undefined
  return (
    <>
      {isCounting && (
        <span class="countdown" aria-hidden="true">
          in {formatDuration(until - now)}
        </span>
      )}
      <span class={isCounting ? 'visually-hidden' : ''}>
        at <time dateTime={new Date(until).toISOString()}>{formats.time(until)}</time>
      </span>
    </>
  )
}
