import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMock, type Mock } from '@fish-crab/mocks'
import { type ClientOptions, createClient } from '@fish-crab/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../scripts/test-support/child-process.ts'
import { CHAT, EXAMPLES, findJava, need } from '../../scripts/test-support/language-tools.ts'
import { play, readScenario, SCENARIO_FILE, type Scenario } from './scenario.ts'
import { sendByFetch, sendBySdk, steerFromOutside, steerMock } from './scenario-players.ts'
import { type StandaloneProcess, startMockProcess } from './standalone-process.ts'

const NO_JAVA = 'a JDK 17 or later is missing (Debian: apt install default-jdk-headless)'

let scenario: Scenario
beforeAll(async () => {
  scenario = await readScenario()
})

const open = ({ startAt, seed }: Scenario): Promise<Mock> => createMock({ seed, startAt: new Date(startAt) })

/** Creates a client that uses the time of the mock, and does not wait before retries. */
function sdkClient(mock: Mock, options: Partial<ClientOptions>) {
  const clock = { now: mock.clock.now, sleep: async () => {} }
  return createClient({
    ...mock.client('Alex', { transport: 'network' }),
    gamemode: 'earth',
    maxWaitMs: 60_000,
    ...options,
    clock,
  })
}

describe('the scenario in Node', () => {
  it('passes with mock.fetch on the direct transport', async () => {
    await using mock = await open(scenario)
    const player = { ...steerMock(mock), send: sendByFetch(mock.fetch, mock.origin) }
    expect(await play(scenario, player)).toEqual([])
  })

  it('passes with the SDK on the direct transport', async () => {
    await using mock = await open(scenario)
    const send = sendBySdk(sdkClient(mock, { fetch: mock.fetch }))
    expect(await play(scenario, { ...steerMock(mock), send })).toEqual([])
  })

  it('passes with fetch through a mock server that the control API controls', async () => {
    await using mock = await open(scenario)
    const { url } = await mock.serve()
    const player = { ...steerFromOutside(url), send: sendByFetch(fetch, url) }
    expect(await play(scenario, player)).toEqual([])
  })

  it('passes with the SDK through a mock server that the control API controls', async () => {
    await using mock = await open(scenario)
    const { url } = await mock.serve()
    const send = sendBySdk(sdkClient(mock, { baseUrl: url }))
    expect(await play(scenario, { ...steerFromOutside(url), send })).toEqual([])
  })

  it('fails and reports the step if the service returns an unexpected response', async () => {
    await using mock = await open(scenario)
    mock.fail('wrong-shape', { on: 'status' })
    const player = { ...steerMock(mock), send: sendByFetch(mock.fetch, mock.origin) }
    expect(await play(scenario, player)).toEqual([expect.stringMatching(/^step 1, .*: expected /)])
  })
})

describe('Java and a mock in a separate process', () => {
  let folder: string
  let mock: StandaloneProcess
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fish-crab-scenario-'))
    const seedFile = join(folder, 'seed.json')
    await writeFile(seedFile, JSON.stringify(scenario.seed))
    mock = await startMockProcess(['--port', '0', '--seed', seedFile, '--start-at', scenario.startAt])
  })
  afterAll(async () => {
    const ended = await mock?.stop()
    await rm(folder, { recursive: true })
    expect(ended).toBe(0)
  })

  it('the same scenario file passes with java.net.http', async (context) => {
    const { command, args } = need(context, await findJava(), NO_JAVA)
    const program = fileURLToPath(new URL('scenario.java', import.meta.url))
    const ended = await run(command, [...args, program, SCENARIO_FILE, mock.url])
    expect(ended).toEqual({ status: 0, stderr: '', stdout: `${scenario.steps.length} steps as expected\n` })
  })

  it('the example client fetches its key and posts catches, and the history contains the requests', async (context) => {
    const { command, args } = need(context, await findJava(), NO_JAVA)
    await fetch(`${mock.url}/__mock/reset`, { method: 'POST' })
    const env = { FISH_URL: mock.url, FISH_USER: 'Alex', FISH_PASSWORD: 'scenario password' }
    const ended = await run(command, [...args, `${EXAMPLES}java/FishClient.java`], env, folder, { input: CHAT })
    expect(ended).toMatchObject({ status: 0, stderr: '' })
    const history = await (await fetch(`${mock.url}/__mock/requests`)).text()
    expect(JSON.parse(history).requests).toMatchObject([
      { transport: 'http', path: '/get/user/key', status: 200 },
      { path: '/post/fish', status: 201, payload: { kind: 'fish', entries: [{ name: 'Salmon', rarity: 3 }] } },
      { path: '/post/crab', status: 201, payload: { kind: 'crab', entries: [{ name: 'crab' }] } },
    ])
    expect(history).not.toContain('scenario password')
  })
})
