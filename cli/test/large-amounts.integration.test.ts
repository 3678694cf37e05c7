import { createMock } from '@fish-crab/mocks'
import { openOutbox } from '@fish-crab/sdk/outbox'
import { expect, test } from 'vitest'
import { outboxPath } from '../src/session/paths.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, run } from './harness.ts'

test('add --file sends queued catches when the outbox is full, and includes them in the counts', async () => {
  await using mock = await createMock({ seed: { users: [{ name: 'Alex' }] } })
  await using served = await mock.serve({ port: 0 })
  const ofOthers = Array.from({ length: 99_400 }, (_, index) => ({ kind: 'crab', name: `${index}` }) as const)
  const env: Env = { FISH_GAMEMODE: 'earth', FISH_USER: 'Alex', FISH_MAX_WAIT: '0', ...xdgFolders(newFolder()) }
  const path = outboxPath({ env }, served.url)
  {
    await using outbox = await openOutbox({ path, user: 'Other', gamemode: 'earth' })
    await outbox.add(ofOthers)
  }
  mock.fail({ status: 400 }, { on: 'postFish', times: 10 })
  const text = Array.from({ length: 900 }, (_, index) => `Fish ${index},1\n`).join('')
  const { status, stdout } = await run(['add', '--file', '-', '--json'], {
    env: { ...env, FISH_URL: served.url, FISH_KEY: mock.user('Alex').fernetKey },
    piped: text,
  })
  const { catches, sent, rejected, waiting } = JSON.parse(stdout)
  expect({ status, catches, waiting }).toEqual({ status: 7, catches: 900, waiting: ofOthers.length })
  expect(rejected).toBeGreaterThan(0)
  expect(sent + rejected).toBe(900)
  expect(mock.sent.fish()).toHaveLength(sent)
})
