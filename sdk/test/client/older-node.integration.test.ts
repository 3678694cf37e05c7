import { expect, test } from 'vitest'
import { olderNode, runInNode } from '../../../scripts/test-support/fresh-process.ts'
import { answerEmpty, listen } from './http-server.ts'

const node = olderNode()
if (!node) process.stdout.write('Left out: there is no Node before 22.19 on the PATH.\n')

const SCRIPT = (baseUrl: string) => `
  import { createClient } from '@fish-crab/sdk'
  const client = createClient({ baseUrl: '${baseUrl}' })
  const users = [(await client.demo.fish()).user, (await client.demo.fish()).user]
  const { status } = await fetch('${baseUrl}')
  process.stdout.write([...users, status].join(' '))
`

test.skipIf(!node)('a client on a Node version that is too old for undici uses the built-in fetch', async () => {
  await using server = await listen(answerEmpty)
  const ended = await runInNode(SCRIPT(server.baseUrl), { node })
  expect(ended).toEqual({ exitCode: 0, stdout: 'demo demo 200', stderr: '' })
})

test.skipIf(!node)(
  'a client on a Node version that is too old for undici warns once that the proxy in the environment is ignored',
  async () => {
    await using server = await listen(answerEmpty)
    const env = { HTTP_PROXY: 'http://user:canary-password@127.0.0.1:1', NO_PROXY: '' }
    const { exitCode, stdout, stderr } = await runInNode(SCRIPT(server.baseUrl), { node, env })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'demo demo 200' })
    expect(stderr.match(/HTTP_PROXY is ignored.*Node 22\.19/g)).toHaveLength(1)
    expect(stderr).not.toContain('canary')
  },
)
