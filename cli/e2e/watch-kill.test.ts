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
const ADMIN_PASSWORD = 'canary-admin-password'

test('a log of 50,000 lines with rotations, truncations and 10 kills is added with every catch once', async () => {
  const folder = newFolder()
  const logs = join(folder, 'logs')
  const log = join(logs, 'latest.log')
  mkdirSync(logs)
  const server = launch(['serve'], {
    FISH_STORAGE: 'memory:',
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
    return program.stdout()
  }
  const created = await fish(['user', 'create', 'Alex', '--json'], { ...base, FISH_ADMIN_PASSWORD: ADMIN_PASSWORD })
  const env = { ...base, FISH_USER: 'Alex', FISH_KEY: JSON.parse(created).fernetKey as string }

  let caught = 0
  let session = 0
  let line = 0
  const begin = () => {
    session += 1
    return `[00:00:00] [main/INFO]: Session ${session}\n`
  }
  const chunk = () => {
    const texts: string[] = []
    for (let each = 0; each < CHUNK; each += 1) {
      line += 1
      const parts = [Math.floor(line / 3600) % 24, Math.floor(line / 60) % 60, line % 60]
      const at = `[${parts.map((part) => String(part).padStart(2, '0')).join(':')}] [Render thread/INFO]: `
      if (line % 4 === 0) caught += 1
      texts.push(
        line % 4 === 0 ? `${at}[CHAT] NICE CATCH! You caught a Fish ${caught}.` : `${at}[CHAT] <Bob> line ${line}`,
      )
    }
    return `${texts.join('\n')}\n`
  }

  writeFileSync(log, begin())
  await fish(['watch', log, '--once'], env)
  let program = launch(['watch', log], env)
  const chunks = LINES / CHUNK
  for (let index = 1; index <= chunks; index += 1) {
    appendFileSync(log, chunk())
    if (index % 9 === 4) {
      writeFileSync(join(logs, `2026-01-31-${index}.log.gz`), gzipSync(readFileSync(log)))
      rmSync(log)
      writeFileSync(log, begin())
    }
    if (index % 9 === 8) {
      copyFileSync(log, join(logs, `latest.log.${index}`))
      truncateSync(log)
      appendFileSync(log, begin())
    }
    await sleep(index % 7 === 0 ? 120 : 15)
    if (index % (chunks / KILLS) !== 0) continue
    program.child.kill('SIGKILL')
    await once(program.child, 'exit')
    if (index < chunks) program = launch(['watch', log], env)
  }
  program = launch(['watch', log], env)
  await program.until(new RegExp(`Fish ${caught} `))
  program.child.kill('SIGINT')
  await program.closed
  await fish(['outbox', '--send'], env)
  const { fish: stored } = JSON.parse(await fish(['list', '--json'], env)) as { fish: readonly { name: string }[] }
  const names = stored.map(({ name }) => name)
  const expected = Array.from({ length: LINES / 4 }, (_, index) => `Fish ${index + 1}`)
  const had = new Set(names)
  expect({ lost: expected.filter((name) => !had.has(name)), doubled: names.length - had.size }).toEqual({
    lost: [],
    doubled: 0,
  })
  expect(names).toEqual(expected)
})
