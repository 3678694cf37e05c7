import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

test.each(['sdk', 'server', 'mocks', 'cli'])('the built files of %s contain no path of the checkout', (name) => {
  const files = readdirSync(join(ROOT, name, 'dist'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  expect(files.length).toBeGreaterThan(3)
  const placed = files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(ROOT))
  expect(placed).toEqual([])
})
