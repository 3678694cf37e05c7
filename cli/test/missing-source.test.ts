import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { run } from './harness.ts'

test.each([
  ['add', '--file', 'NONE', '-g', 'earth'],
  ['login', '--from', 'NONE'],
  ['migrate', 'NONE', '--dry-run'],
  ['restore', 'NONE'],
  ['watch', 'NONE', '--once', '-g', 'earth'],
  ['watch', '--once', 'NONE', '-g', 'earth', '--yes'],
])('%s %s %s… exits with 5 if its source file does not exist', async (...words) => {
  const folder = newFolder()
  const env = {
    ...xdgFolders(folder),
    FISH_SECRET: 's'.repeat(32),
    FISH_STORAGE: `file:${join(folder, 'data')}`,
    FISH_USER: 'Alex',
    FISH_KEY: 'cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=',
  }
  const none = join(folder, 'none.json')
  const argv = words.map((word) => (word === 'NONE' ? none : word))
  const { status, stdout } = await run([...argv, '--json'], { env })
  expect([status, JSON.parse(stdout).error]).toMatchObject([5, { message: expect.stringContaining(none) }])
})
