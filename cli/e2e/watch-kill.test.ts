import { once } from 'node:events'
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { newFolder } from '../test/folders.ts'
import { launch } from '../test/maintenance-processes.ts'

const LINES = 50_000
const CHUNK = 500
const KILLS = 10
/** The service is down between the chunks with these numbers. */
const OUTAGE = { from: 35, to: 55 }
const ADMIN_PASSWORD = 'canary-admin-password'
const GAMEMODES = ['earth', 'survival', 'factions'] as const

test('every catch in 50,000 lines of three games is stored once despite rotations, truncations, 10 kills and an outage', async () => {
  const folder = newFolder()
  const serve = (port: string) =>
    launch(['serve'], {
      FISH_STORAGE: `file:${join(folder, 'data')}`,
      FISH_PORT: port,
      FISH_LOG: 'silent',
      FISH_RATE_LIMIT: '1000000',
      FISH_ADMIN_PASSWORD: ADMIN_PASSWORD,
    })
  let server = serve('0')
  const [, url = ''] = await server.until(/^listening on (\S+)$/m)
  const base = { HOME: folder, FISH_SECRET_STORE: 'file', FISH_URL: url }
  const fish = async (argv: readonly string[], env: Readonly<Record<string, string>>) => {
    const program = launch(argv, env)
    expect({ status: await program.closed, stderr: program.stderr() }).toMatchObject({ status: 0 })
    return program.stdout()
  }
  const created = await fish(['user', 'create', 'Alex', '--json'], { ...base, FISH_ADMIN_PASSWORD: ADMIN_PASSWORD })
  const env = { ...base, FISH_USER: 'Alex', FISH_KEY: JSON.parse(created).fernetKey as string }

  const games = GAMEMODES.map((gamemode) => {
    const logs = join(folder, gamemode)
    mkdirSync(logs)
    return { gamemode, logs, log: join(logs, 'latest.log'), caught: 0 }
  })
  type Game = (typeof games)[number]
  let session = 0
  let line = 0
  const begin = ({ gamemode }: Game) => {
    session += 1
    const first = `[00:00:00] [main/INFO]: Session ${session}\n`
    return `${first}[00:00:00] [Render thread/INFO]: Connecting to ${gamemode}.example.net, 25565\n`
  }
  const chunk = (game: Game) => {
    const texts: string[] = []
    for (let each = 0; each < CHUNK; each += 1) {
      line += 1
      const parts = [Math.floor(line / 3600) % 24, Math.floor(line / 60) % 60, line % 60]
      const at = `[${parts.map((part) => String(part).padStart(2, '0')).join(':')}] [Render thread/INFO]: `
      if (line % 4 === 0) game.caught += 1
      const text = line % 4 === 0 ? `NICE CATCH! You caught a Fish ${game.caught}.` : `<Bob> line ${line}`
      texts.push(`${at}[CHAT] ${text}\n`)
    }
    return texts.join('')
  }

  for (const game of games) writeFileSync(game.log, begin(game))
  const watching = ['watch', ...games.map(({ log }) => log)]
  await fish([...watching, '--once'], env)
  let program = launch(watching, env)
  const chunks = LINES / CHUNK
  for (let index = 1; index <= chunks; index += 1) {
    const game = games[index % games.length]
    if (!game) throw new Error('There is no such game.')
    const { logs, log } = game
    appendFileSync(log, chunk(game))
    if (index % 9 === 4) {
      writeFileSync(join(logs, `2026-01-31-${index}.log.gz`), gzipSync(readFileSync(log)))
      rmSync(log)
      writeFileSync(log, begin(game))
    }
    if (index % 9 === 8) {
      copyFileSync(log, join(logs, `latest.log.${index}`))
      truncateSync(log)
      appendFileSync(log, begin(game))
    }
    if (index === OUTAGE.from) {
      server.child.kill('SIGKILL')
      await server.closed
    }
    if (index === OUTAGE.to) server = serve(new URL(url).port)
    await sleep(index % 7 === 0 ? 120 : 15)
    if (index % (chunks / KILLS) !== 0) continue
    program.child.kill('SIGKILL')
    await once(program.child, 'exit')
    if (index < chunks) program = launch(watching, env)
  }
  program = launch(watching, env)
  const storedIn = async (gamemode: string) => {
    const response = await fetch(`${url}/get/fish?name=Alex&gamemode=${gamemode}`)
    const { fish: stored } = (await response.json()) as { fish: readonly { name: string }[] }
    return stored.map(({ name }) => name)
  }
  for (const { gamemode, caught } of games) {
    const count = async () => (await storedIn(gamemode)).length
    await expect.poll(count, { interval: 50, timeout: 60_000 }).toBeGreaterThanOrEqual(caught)
  }
  program.child.kill('SIGINT')
  await program.closed
  await fish(['outbox', '--send'], env)
  for (const { gamemode, caught } of games) {
    const names = await storedIn(gamemode)
    const expected = Array.from({ length: caught }, (_, index) => `Fish ${index + 1}`)
    const had = new Set(names)
    expect({ lost: expected.filter((name) => !had.has(name)), doubled: names.length - had.size }).toEqual({
      lost: [],
      doubled: 0,
    })
    expect(names).toEqual(expected)
  }
})
