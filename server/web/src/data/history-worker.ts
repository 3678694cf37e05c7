import { createClient } from '@fish-crab/sdk'
import { countDays } from './history.ts'

/** Whose fish to count. */
export interface HistoryQuery {
  readonly user: string
  readonly gamemode: string
}

const client = createClient({ baseUrl: location.origin, maxWaitMs: 0, maxRetries: 0, pace: false })

// A list of 100,000 catches takes longer to read than the page may stand still.
addEventListener('message', async ({ data }: MessageEvent<HistoryQuery>) => {
  try {
    const { fish } = await client.fish.list({ ...data, detail: 'full', timeoutMs: 60_000 })
    postMessage(countDays(fish.map(({ caughtAt }) => caughtAt)))
  } catch {
    postMessage(undefined)
  }
})
