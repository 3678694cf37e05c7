import { once } from 'node:events'
import { appendFileSync, globSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { inspectOutbox } from '@fish-crab/sdk/outbox'
import { expect, test } from 'vitest'
import { newFolder } from '../test/folders.ts'
import { launch } from '../test/maintenance-processes.ts'

const LOGS = 300
const CATCHES = 20
const ADMIN_PASSWORD = 'canary-admin-password'
/** The Node option for a process with a clock that is `minutes` ahead. */
const later = (minutes: number) =>
  `--import=data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${minutes * 61_000}`)}`

test('every catch of 300 logs is stored once despite two kills, even if half of the logs were watched before', async () => {
  const folder = newFolder()
  const logs = join(folder, 'logs')
  const latest = join(logs, 'latest.log')
  mkdirSync(logs)
  const server = launch(['serve'], {
    FISH_STORAGE: `file:${join(folder, 'data')}`,
    FISH_PORT: '0',
    FISH_LOG: 'silent',
    FISH_RATE_LIMIT: '1000000',
    FISH_ADMIN_PASSWORD: ADMIN_PASSWORD,
  })
  const [, url = ''] = await server.until(/^listening on (\S+)$/m)
  const base = { HOME: folder, FISH_SECRET_STORE: 'file', FISH_URL: url, FISH_GAMEMODE: 'earth' }
  const fish = async (argv: readonly string[], env: Readonly<Record<string, string>>) => {
    const program = launch(argv, env)
    expect({ status: await program.closed, stderr: program.stderr() }).toMatchObject({ status: 0 })
    return program
  }
  const created = await fish(['user', 'create', 'Alex', '--json'], { ...base, FISH_ADMIN_PASSWORD: ADMIN_PASSWORD })
  const env = { ...base, FISH_USER: 'Alex', FISH_KEY: JSON.parse(created.stdout()).fernetKey as string }

  const line = (second: number) => `[12:00:${String(second).padStart(2, '0')}] [Render thread/INFO]: `
  const catchesOf = (log: number) => Array.from({ length: CATCHES }, (_, index) => `Fish ${log}-${index + 1}`)
  const begin = (log: number) => `[11:00:00] [main/INFO]: Game ${log}\n`
  const content = (log: number) =>
    catchesOf(log)
      .map((name, index) => `${line(index)}[CHAT] NICE CATCH! You caught a ${name}.\n${line(index)}[CHAT] <Bob> nice\n`)
      .join('')
  const rotated = (log: number) => {
    const day = new Date(Date.UTC(2024, 0, 1 + Math.floor(log / 2))).toISOString().slice(0, 10)
    return join(logs, `${day}-${1 + (log % 2)}.log${log % 5 === 0 ? '' : '.gz'}`)
  }
  const rotate = (log: number, text: string) => {
    const path = rotated(log)
    writeFileSync(path, path.endsWith('.gz') ? gzipSync(text) : text)
    return path
  }

  // Every second log is watched while it is written, and is then rotated.
  const live = Array.from({ length: LOGS / 2 }, (_, index) => 2 * index + 1)
  writeFileSync(latest, begin(live[0] ?? 0))
  await fish(['watch', latest, '--once'], env)
  const watching = launch(['watch', latest], env)
  for (const log of live) {
    appendFileSync(latest, content(log))
    await expect.poll(() => watching.stdout(), { interval: 10, timeout: 20_000 }).toContain(`Fish ${log}-${CATCHES} `)
    rotate(log, readFileSync(latest, 'utf8'))
    rmSync(latest)
    writeFileSync(latest, begin(log + 2))
  }
  watching.child.kill('SIGINT')
  await watching.closed
  await fish(['watch', latest, '--once'], { ...env, NODE_OPTIONS: later(1) })
  rmSync(latest)

  // The other logs are older than the watched logs. One of the older logs has a copy.
  const old = live.map((log) => log - 1)
  for (const log of old) {
    const path = rotate(log, begin(log) + content(log))
    utimesSync(path, new Date(2026, 0, 1), new Date(2026, 0, 1))
  }
  writeFileSync(join(logs, 'copy-of-a-log.log'), begin(0) + content(0))

  const history = ['watch', '--once', logs, '--yes']
  const preview = await fish([...history, '--dry-run'], env)
  const half = (LOGS / 2) * CATCHES
  expect(preview.stderr()).toMatch(
    new RegExp(`^fish-cli: ${LOGS + 1} logs in .*: ${half} catches to add, .*; ${half} already added`),
  )

  // The test reads the outbox file directly, because a command that shows the queue would start too late to kill the
  // run while it queues catches.
  const [outbox = ''] = globSync(join(folder, '.local/state/fish-crab/outbox-*.db'))
  const queued = async () => {
    const { pending, close } = await inspectOutbox(outbox)
    close()
    return pending
  }
  const storedNow = async () => {
    const response = await fetch(`${url}/get/fish?name=Alex&gamemode=earth`)
    return ((await response.json()) as { fish: unknown[] }).fish.length
  }
  const kill = async (minutes: number, isTime: () => Promise<boolean>) => {
    const program = launch(history, { ...env, NODE_OPTIONS: later(minutes) })
    await expect.poll(isTime, { interval: 1, timeout: 20_000 }).toBe(true)
    program.child.kill('SIGKILL')
    await once(program.child, 'exit')
    return { queued: await queued(), stored: await storedNow() }
  }
  const killed = [
    // The first run is killed while it queues catches, and the second run while it sends catches.
    await kill(2, async () => (await queued()) > 0),
    await kill(3, async () => (await storedNow()) > half),
  ]
  expect(killed[0]).toMatchObject({ stored: half })
  expect(killed[0]?.queued).toBeLessThan(half)
  expect(killed[1]?.stored).toBeLessThan(2 * half)
  const last = await fish(history, { ...env, NODE_OPTIONS: later(5) })
  expect(last.stdout()).toMatch(/ sent\./)

  const { fish: stored } = JSON.parse((await fish(['list', '--json'], env)).stdout()) as { fish: { name: string }[] }
  const names = stored.map(({ name }) => name)
  const expected = [...live, ...old].flatMap(catchesOf)
  const had = new Set(names)
  expect({ lost: expected.filter((name) => !had.has(name)), doubled: names.length - had.size }).toEqual({
    lost: [],
    doubled: 0,
  })
  // The catches of old logs are stored oldest first, after the watched catches.
  expect(names).toEqual(expected)
  expect((await fish(history, env)).stderr()).toContain(`0 catches to add; ${2 * half} already added`)
}, 240_000)
