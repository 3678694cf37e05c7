import type { OwnAccount } from '@fish-crab/sdk/admin'
import { formatDateTime, formatNumber } from '../../parts/format.ts'
import type { AdminSession } from '../data/session.ts'
import { type Loaded, LoadNotice } from '../parts/load.tsx'

interface Checked extends Pick<OwnAccount, 'version' | 'timestamp'> {
  readonly isReady: boolean
  readonly durationMs: number
  readonly checkedAt: number
}

/** Smaller differences are ignored, because the clocks of synchronised machines also differ slightly. */
const CLOCK_TOLERANCE_MS = 5000

export async function checkHealth(
  readReadiness: () => Promise<boolean>,
  request: AdminSession['request'],
): Promise<Checked> {
  const isReady = await readReadiness()
  const start = performance.now()
  const { version, timestamp } = await request((client) => client.me())
  return { isReady, version, timestamp, durationMs: performance.now() - start, checkedAt: Date.now() }
}

/** Whether the service works. */
export function Health({ health }: { readonly health: Omit<Loaded<Checked>, 'set'> }) {
  const { content, problem } = health
  return (
    <section class="panel" aria-labelledby="health">
      <h2 id="health">Health</h2>
      <LoadNotice loaded={health} what="the health of the service" />
      {content && !problem && (
        <>
          {content.isReady ? (
            <p>
              <span class="dot" aria-hidden="true" /> <strong>The service works</strong> and its storage accepts writes.
            </p>
          ) : (
            <p class="notice problem">
              <strong>The service is not ready: its storage accepts no writes, or the server is stopping.</strong>
            </p>
          )}
          <dl class="facts">
            <dt>Version</dt>
            <dd>{content.version}</dd>
            <dt>Response time</dt>
            <dd>{formatNumber(Math.round(content.durationMs))} ms</dd>
            <dt>Server clock</dt>
            <dd>
              <time dateTime={content.timestamp}>{formatDateTime(content.timestamp)}</time>
              {clockDifference(content)}
            </dd>
          </dl>
          <p class="hint">
            For alerts, let a monitor poll <code>/readyz</code> and <code>/metrics</code>.
          </p>
        </>
      )}
    </section>
  )
}

function clockDifference({ timestamp, checkedAt, durationMs }: Checked): string {
  const difference = Date.parse(timestamp) - (checkedAt - durationMs / 2)
  if (Math.abs(difference) < CLOCK_TOLERANCE_MS) return ', the same as here'
  const seconds = formatNumber(Math.round(Math.abs(difference) / 1000))
  return `, ${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} this device`
}
