import { useEffect, useState } from 'preact/hooks'
import { partsTexts as texts } from '../texts/parts.tsx'
import { formatDuration } from './format.ts'
import { Time } from './time.tsx'

/** Shows a countdown every second. Screen readers and pages without JavaScript get the end time instead. */
export function Countdown({ until }: { readonly until: number }) {
  const [now, setNow] = useState<number>()
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
          {texts.in(formatDuration(until - now))}
        </span>
      )}
      <span class={isCounting ? 'visually-hidden' : ''}>{texts.at(<Time at={until} format="time" />)}</span>
    </>
  )
}
