import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { olderNode } from '../../scripts/test-support/fresh-process.ts'

const node = olderNode()
if (!node) process.stdout.write('Left out: there is no Node before 22.19 on the PATH.\n')

/** Runs a module with the older version of Node, and returns the output on stderr. */
async function failureOf(source: string): Promise<string> {
  const run = promisify(execFile)(node ?? '', ['--input-type=module', '-e', source])
  return run.then(
    () => expect.unreachable('It did not fail.'),
    ({ stderr }: { stderr: string }) => stderr,
  )
}

test.skipIf(!node).each([
  ['server', "import '@fish-crab/server'"],
  ['server', "import '@fish-crab/server/storage'"],
  ['mocks', "import { createMock } from '@fish-crab/mocks'; await createMock()"],
  ['mocks', "import { startStandaloneMock } from '@fish-crab/mocks/standalone'; await startStandaloneMock()"],
])('@fish-crab/%s fails on an older Node with one line that states the required version: %s', async (name, source) => {
  const stderr = await failureOf(source)
  expect(stderr.match(/^Error: .*$/gm)).toEqual([
    expect.stringMatching(
      `^Error: @fish-crab/${name} needs Node 22\\.19 or later; this is Node \\d+\\.\\d+\\.\\d+\\. `,
    ),
  ])
})
