// `npm run release` runs this script. The script stores data with this release, so that tests can check that later
// releases still read the data.
import { randomInt } from 'node:crypto'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT } from '../../cli/src/core/errors.ts'
import { run } from '../test-support/child-process.ts'
import { PROJECT } from '../test-support/language-tools.ts'
import { startRedis } from '../test-support/redis-server.ts'
import { type Expected, fishCli, type Player, serviceAt } from './service.ts'

const [version = ''] = process.argv.slice(2)
// A random address avoids conflicts with other programs and with concurrent runs.
const host = `127.${randomInt(64, 128)}.${randomInt(256)}.${randomInt(1, 255)}`
const service = serviceAt(host)
const folder = await mkdtemp(join(tmpdir(), 'fish-crab-release-'))
try {
  const expected = await writeStore(`file:${folder}/file`)
  await fishCli(['backup', join(folder, 'backup'), '--storage', `file:${folder}/file`])
  await writeRedis()
  await writeHome(expected.players)
  await writeFile(join(folder, 'expected.json'), JSON.stringify(expected, undefined, 2))
  await tar()
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Fills a store with typical operations of players and administrators. */
async function writeStore(storage: string): Promise<Expected> {
  await using _ = await service.serve(storage)
  const admin = service.admin()
  await admin.admins.create({ username: 'second', password: 'another correct horse', role: 'admin' })
  const players: Player[] = []
  for (const name of ['Alex', 'Kevin_2', '*.Bedrock-1']) {
    const { password, apiKey, fernetKey } = await admin.users.create({ name })
    players.push({ name, password, apiKey, fernetKey })
  }
  const [alex, kevin] = players
  if (!alex || !kevin) throw new Error('No players.')

  const paths: string[] = []
  for (const [index, player] of players.entries()) {
    for (const gamemode of ['earth', 'boxsmp']) {
      const { fish, crabs } = service.client(player, gamemode)
      for (let each = 0; each < 10; each += 1) {
        const rarity = ((each % 7) + 1) as 1
        await fish.add([
          { name: `Koi ${each % 4}`, rarity },
          { name: `"Cod", 🐟 ${index}`, rarity: 7 },
        ])
        if (each % 3 === 0) await crabs.add({ name: 'Crab' })
      }
      const query = new URLSearchParams({ name: player.name, gamemode })
      for (const kind of ['fish', 'crab']) {
        paths.push(`/get/${kind}?${query}&detail=full`, `/get/${kind}?${query}&summary=species`)
      }
    }
  }
  const inEarth = service.client(alex, 'earth')
  const encrypted = await inEarth.fish.encrypt({ name: 'Sent once', rarity: 3 })
  await inEarth.fish.send(encrypted)
  const { id: removed } = await inEarth.fish.add({ name: 'Removed', rarity: 1 })
  await inEarth.fish.remove(removed, { password: alex.password })
  const { id: moved } = await inEarth.crabs.add({ name: 'Moved' })
  await inEarth.crabs.move(moved, { gamemode: 'earth', to: 'boxsmp', password: alex.password })

  const responses: Record<string, unknown> = {}
  for (const path of paths) responses[path] = await service.get(path)
  return { host, players, responses, token: { user: alex.name, gamemode: 'earth', encrypted: encrypted.token } }
}

/** Copies the same data to Redis, and stores the snapshot that Redis saves. */
async function writeRedis(): Promise<void> {
  const redis = await startRedis()
  try {
    await fishCli(['copy', `file:${folder}/backup`, redis.url])
    {
      await using _ = await service.serve(redis.url)
      await service.get('/status')
    }
    await redis.admin.save()
    const [, directory = ''] = (await redis.admin.config('GET', 'dir')) as string[]
    await cp(join(directory, 'dump.rdb'), join(folder, 'redis/dump.rdb'))
  } finally {
    await redis.stop()
  }
}

/** Writes the files of fish-cli: two profiles with secrets, settings, and an outbox with unsent catches. */
async function writeHome([alex, kevin]: readonly Player[]): Promise<void> {
  if (!alex || !kevin) throw new Error('No players.')
  const home = { HOME: join(folder, 'home') }
  {
    await using _ = await service.serve(`file:${folder}/file`)
    for (const [profile, { name, password }] of [
      ['default', alex],
      ['second', kevin],
    ] as const) {
      const env = { ...home, FISH_PASSWORD: password }
      await fishCli(
        ['login', name, '--url', service.url, '-g', 'earth', '--profile', profile, '--no-input', '--yes'],
        env,
      )
    }
    await fishCli(['config', 'gamemode', 'earth'], home)
  }
  const file = join(folder, 'catches.csv')
  await writeFile(file, 'name,rarity\nQueued 1,1\nQueued 2,2\nQueued 3,3\n')
  await fishCli(['add', '--file', file, '--max-wait', '0'], home, EXIT.unreachable)
}

async function tar(): Promise<void> {
  const target = join(PROJECT, 'scripts/e2e/releases', `${version}.tar.gz`)
  const options = ['--exclude=.cache', '--sort=name', '--owner=0', '--group=0', '--numeric-owner']
  const { status, stderr } = await run('tar', [...options, '-czf', target, '-C', folder, '.'])
  if (status !== 0) throw new Error(stderr)
}
