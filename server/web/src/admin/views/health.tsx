import { formatDateTime, formatNumber, formatTime } from '../../parts/format.ts'
import { LoadNotice, useLoad } from '../parts/load.tsx'
import { Title } from '../parts/page.tsx'

/** What the service says of itself. */
export interface ServiceStatus {
  readonly version: string
  /** Its time, ISO 8601. */
  readonly timestamp: string
}

interface Checked extends ServiceStatus {
  readonly durationMs: number
  readonly checkedAt: number
}

/** Clocks of machines that are synchronised differ by less. */
const CLOCK_TOLERANCE_MS = 5000

/** Whether the service works. */
export function Health({ readStatus }: { readonly readStatus: () => Promise<ServiceStatus> }) {
  const health = useLoad('health', async (): Promise<Checked> => {
    const start = performance.now()
    const { version, timestamp } = await readStatus()
    return { version, timestamp, durationMs: performance.now() - start, checkedAt: Date.now() }
  })
  const { content, isBusy, problem, reload } = health
  return (
    <>
      <Title
        actions={
          <button type="button" aria-disabled={isBusy} onClick={reload}>
            {isBusy ? 'Checking…' : 'Check again'}
          </button>
        }
      >
        Health
      </Title>
      <LoadNotice loaded={health} what="the state of the service" />
      {content && (
        <section class="panel" aria-label="State of the service">
          <p role="status">
            {problem === undefined ? (
              <>
                <span class="dot" aria-hidden="true" /> <strong>The service works</strong>, and its storage takes
                writes.
              </>
            ) : (
              `It worked at ${formatTime(content.checkedAt)}.`
            )}
          </p>
          <dl class="facts">
            <dt>Version</dt>
            <dd>{content.version}</dd>
            <dt>Response time</dt>
            <dd>{formatNumber(Math.round(content.durationMs))} ms</dd>
            <dt>Clock of the server</dt>
            <dd>
              <time dateTime={content.timestamp}>{formatDateTime(content.timestamp)}</time>
              {clockDifference(content)}
            </dd>
            <dt>Checked</dt>
            <dd>{formatTime(content.checkedAt)}</dd>
          </dl>
          <p class="hint">
            Every check counts as one request of your address. For alerts, let a monitor ask <code>/readyz</code> and{' '}
            <code>/metrics</code>, which are not counted.
          </p>
        </section>
      )}
    </>
  )
}

function clockDifference({ timestamp, checkedAt, durationMs }: Checked): string {
  const difference = Date.parse(timestamp) - (checkedAt - durationMs / 2)
  if (Math.abs(difference) < CLOCK_TOLERANCE_MS) return ', as here'
  const seconds = formatNumber(Math.round(Math.abs(difference) / 1000))
  return `, ${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} this device`
}
