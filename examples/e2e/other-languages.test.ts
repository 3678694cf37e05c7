import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { run } from '../../scripts/test-support/child-process.ts'
import {
  CHAT,
  EXAMPLES,
  findCli,
  findJava,
  findPython,
  need,
  type Tool,
} from '../../scripts/test-support/language-tools.ts'
import { objectId, writeArchive } from '../../scripts/test-support/mongo-dump.ts'
import { SERVER_SCRIPT } from '../../scripts/test-support/server-process.ts'
import { startLossyRelay } from './relay.ts'
import { type Player, type Service, startService } from './service.ts'

const languages = [
  {
    language: 'Java',
    file: 'java/FishClient.java',
    find: findJava,
    missing: 'a JDK 17 or later is missing (Debian: apt install default-jdk-headless)',
    padding: false,
    input: CHAT,
  },
  {
    language: 'Python',
    file: 'python/fish_client.py',
    find: findPython,
    missing: 'Python with cryptography is missing (Debian: apt install python3-cryptography)',
    padding: true,
    input: '',
  },
]

describe.each(languages)('the $language client', ({ language, file, find, missing, padding, input }) => {
  let tool: Tool | undefined
  let service: Service
  let player: Player
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fish-client-'))
    service = await startService(SERVER_SCRIPT)
    player = await service.createPlayer(`Steve_${language}`)
    tool = await find()
  })
  afterAll(async () => {
    const ended = await service?.stop()
    await rm(folder, { recursive: true })
    expect(ended?.status).toBe(0)
    expect(ended?.log).toContain('"ready"')
    for (const secret of [player.password, player.fernetKey, player.apiKey]) expect(ended?.log).not.toContain(secret)
  })

  const runClient = async (context: TestContext, { name, password, apiKey }: Player, url = service.url) => {
    const { command, args } = need(context, tool, missing)
    const FISH_QUEUE = join(folder, name)
    const env = { FISH_URL: url, FISH_USER: name, FISH_PASSWORD: password, FISH_API_KEY: apiKey, FISH_QUEUE }
    const ended = await run(command, [...args, EXAMPLES + file], env, folder, input === undefined ? {} : { input })
    return { ...ended, stdout: ended.stdout.replace(/^Queued: .*\n/gm, '') }
  }

  it('fetches the key with the password of the player, and stores a fish and a crab, which fish-cli lists', async (context) => {
    const cli = need(context, findCli(), 'the command line is not built (npm run build)')
    const ended = await runClient(context, player)
    expect(ended).toMatchObject({ status: 0, stderr: '' })
    expect(ended.stdout).toMatch(
      new RegExp(
        `^201 Fish saved for user ${player.name}, id \\S+\\r?\\n201 Crab saved for user ${player.name}, id \\S+\\s$`,
      ),
    )
    expect(await service.read('fish', player)).toEqual([{ name: 'Salmon', rarity: 'Gold' }])
    expect(await service.read('crab', player)).toEqual([{ name: 'crab' }])
    expect(await service.read('fish', player, 'survival')).toEqual([])
    const list = async (kind: string) => {
      const args = [...cli.args, 'list', kind, player.name, '--gamemode', 'earth', '--json']
      const { stdout } = await run(cli.command, args, { FISH_URL: service.url })
      return JSON.parse(stdout) as unknown
    }
    expect(await list('fish')).toMatchObject({ fish: [{ name: 'Salmon', rarity: 'Gold' }] })
    expect(await list('crab')).toMatchObject({ crab: [{ name: 'crab' }] })
  })

  it('works for a migrated player with the old password, key and API key', async (context) => {
    const cli = need(context, findCli(), 'the command line is not built (npm run build)')
    const folder = await mkdtemp(join(tmpdir(), 'fish-migrated-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    // The old database stores keys in the base64 alphabet with + and /.
    const fernetKey = Buffer.alloc(32, 0xfb).toString('base64')
    const old = { name: 'Old', password: 'an old password: 1', apiKey: 'old-key', fernetKey }
    const _id = objectId(1_600_000_000, 1)
    const database = new Map<string, () => object[]>([
      ['users', () => [{ _id, id: 'u-1', name: old.name, userPassword: old.password, fernetKey }]],
      ['api_keys', () => [{ _id, key: old.apiKey, userId: 'u-1' }]],
      ['fish_Old_earth', () => [{ _id, fish: 'Eel', rarity: 7 }]],
    ])
    await writeArchive(join(folder, 'dump'), database)
    const FISH_STORAGE = `file:${join(folder, 'data')}`
    const migrated = await run(cli.command, [...cli.args, 'migrate', join(folder, 'dump'), '--yes'], { FISH_STORAGE })
    expect(migrated).toMatchObject({ status: 0 })
    const served = await startService([...cli.args, 'serve'], { FISH_STORAGE })
    try {
      expect(await runClient(context, old, served.url)).toMatchObject({ status: 0, stderr: '' })
      expect(await served.read('fish', old)).toEqual([
        { name: 'Eel', rarity: 'Mythical' },
        { name: 'Salmon', rarity: 'Gold' },
      ])
    } finally {
      await served.stop()
    }
  })

  it('sends the same token again after a lost response, so that the catch is stored once', async (context) => {
    const other = await service.createPlayer(`Lost_${language}`)
    const relay = await startLossyRelay(service.url)
    const ended = await runClient(context, other, relay.url).finally(relay.stop)
    expect(ended).toMatchObject({ status: 0 })

    const [key, ...posts] = relay.exchanges
    expect(key).toMatchObject({ method: 'GET', path: '/get/user/key', status: 200 })
    expect(key?.headers.authorization).toMatch(/^Basic /)
    expect(relay.exchanges.map(({ headers }) => headers['x-api-key'])).toEqual(relay.exchanges.map(() => other.apiKey))
    for (const kind of ['fish', 'crab']) {
      const [first, again, ...more] = posts.filter(({ path }) => path === `/post/${kind}?name=${other.name}`)
      expect(first).toMatchObject({ status: 201, replayed: false })
      expect(again).toMatchObject({ status: 200, replayed: true, body: first?.body, answer: { id: first?.answer.id } })
      expect(more).toEqual([])
      expect(ended.stdout).toContain(`200 ${first?.answer.message}, id ${first?.answer.id}`)
      expect(first?.headers).toMatchObject({ 'content-type': 'application/octet-stream', 'x-gamemode': 'earth' })
      expect(first?.body).toMatch(padding ? /^[\w-]+={1,2}$/ : /^[\w-]+$/)
    }
    expect(await service.read('fish', other)).toEqual([{ name: 'Salmon', rarity: 'Gold' }])
    expect(await service.read('crab', other)).toEqual([{ name: 'crab' }])
  })

  it('prints the error of the service without the password', async (context) => {
    const other = await service.createPlayer(`Wrong_${language}`)
    const ended = await runClient(context, { ...other, password: 'not the password' })
    expect(ended).toMatchObject({ status: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^401 .*\S\s$/)
    expect(ended.stderr).not.toContain('not the password')
    expect(await service.read('fish', other)).toEqual([])
  })
})
