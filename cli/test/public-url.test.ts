import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { run, serviceContext } from './harness.ts'

const PUBLIC = 'https://fish.example.org'
const context = serviceContext({ FISH_PUBLIC_URL: PUBLIC })

test('a login file names the address that players use, not the one that the administrator reaches', async () => {
  const folder = newFolder()
  const file = join(folder, 'alex.json')
  const env = { ...context.admin, ...xdgFolders(folder) }
  const { status, stderr } = await run(['user', 'create', 'Walter', '--login-file', file], { env })
  expect([status, stderr]).toEqual([0, ''])
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ service: PUBLIC, name: 'Walter' })
})

test('open on the machine of the service prints the address that players use', async () => {
  const { stdout } = await run(['open', 'Alex', '--print'], { env: context.base })
  expect(stdout).toBe(`${PUBLIC}/@Alex?gamemode=earth\n`)
})
