// A program that adds catches, and sends these catches in the background until the process is killed. If `OUTBOX_LAST`
// is set, the program flushes all remaining catches and exits. Environment variables configure the program.
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@fish-crab/sdk'
import { openOutbox } from '@fish-crab/sdk/outbox'

const { OUTBOX_URL, OUTBOX_PATH = '', OUTBOX_FERNET_KEY, OUTBOX_UNTIL, OUTBOX_LAST } = process.env
const target = { user: 'Alex', gamemode: 'earth' } as const
const client = createClient({
  ...target,
  baseUrl: OUTBOX_URL,
  fernetKey: OUTBOX_FERNET_KEY,
  timeoutMs: 2000,
  onRequest: () => process.send?.('asks'),
})
const outbox = await openOutbox({ client, ...target, path: OUTBOX_PATH, maxBatch: 5, lingerMs: 5 })

outbox.start()
// A restarted log watcher reads some lines again. The keys of their catches prevent duplicates.
let next = Math.max(Number((await outbox.checkpoint('made')) ?? 0) - 3, 0) + 1
while (next <= Number(OUTBOX_UNTIL)) {
  const last = Math.min(next + Math.floor(Math.random() * 5), Number(OUTBOX_UNTIL))
  const numbers = Array.from({ length: last - next + 1 }, (_, index) => next + index)
  const catches = numbers.map((n) => ({ kind: 'fish', name: `fish ${n}`, rarity: 1, key: `log:${n}` }) as const)
  await outbox.add(catches, { checkpoint: { name: 'made', value: String(last) } })
  next = last + 1
  await sleep(Math.random() * 10)
}

if (OUTBOX_LAST) {
  await outbox.stop()
  for (;;) {
    const { remaining } = await outbox.flush()
    if (remaining === 0) break
    await sleep(100)
  }
  await outbox.close()
} else {
  await sleep(60_000)
}
