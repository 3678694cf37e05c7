import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@fish-crab/sdk'
import { expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { run, serviceContext } from './harness.ts'
import { PROGRAM } from './pseudo-terminal.ts'
import { start } from './stdin-processes.ts'

const context = serviceContext()
const KILL = fileURLToPath(new URL('kill-at-rename.mjs', import.meta.url))

test('a second run of user create --file completes the login files after the first run was killed', async () => {
  const home = newFolder()
  const [list, folder] = [join(home, 'players.txt'), join(home, 'logins')]
  const names = Array.from({ length: 300 }, (_, index) => `Killed${index}`)
  writeFileSync(list, names.join('\n'))
  const argv = ['user', 'create', '--file', list, '--login-files', folder]
  const env = { ...context.admin, ...xdgFolders(home) }
  const [node, program] = PROGRAM
  const { child, ended } = start([node, '--import', KILL, program, ...argv], { ...env, FISH_KILL_AT: '75' })
  await ended
  expect(child.signalCode).toBe('SIGKILL')
  const files = () => readdirSync(folder).filter((name) => name.endsWith('.json'))
  expect(files()).toHaveLength(74)

  const { status, stdout } = await run([...argv, '--reset-missing', '--json'], { env })
  const { created, skipped, reset, missing } = JSON.parse(stdout)
  expect({ status, skipped, missing, others: created + reset }).toEqual({
    status: 0,
    skipped: 74,
    missing: [],
    others: 226,
  })
  expect(reset).toBeGreaterThan(0)
  expect(readdirSync(folder).toSorted()).toEqual(names.map((name) => `${name}.json`).toSorted())
  const client = createClient({ baseUrl: context.service.url })
  for (const name of names) {
    const { password } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
    await client.keys.get({ username: name, password })
  }
})
