import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { CreatedUser } from '@fish-crab/sdk/contract'
import type { Catches, Experiment, Scale } from '../experiment.ts'
import { buildFaults, cutPower, type Fault, writeFiles } from '../faults.ts'
import { Journal, NO_DAMAGE } from '../journal.ts'
import { Load } from '../load.ts'
import { catchesOf, nothingLost, sum, whilePosting } from '../posted.ts'
import { readCollections, Service, temporaryFolder } from '../service.ts'
import { noCompiler, noRoot } from '../system.ts'

/** Fills a disk of 8 MiB and frees the space again. */
async function fillDisk(times: number): Promise<Catches> {
  using folder = temporaryFolder()
  const disk = join(folder.path, 'disk')
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk], { stdio: 'pipe' })
  try {
    return await whilePosting({ FISH_STORAGE: `file:${disk}/data` }, async ({ load }) => {
      const filler = join(disk, 'filler')
      for (let time = 0; time < times; time += 1) {
        const failed = load.failed
        try {
          writeFileSync(filler, Buffer.alloc(8 * 2 ** 20))
        } catch {
          // The disk is full.
        }
        while (load.failed < failed + 20) await wait(10)
        rmSync(filler)
        await load.acknowledgements()
      }
    })
  } finally {
    execFileSync('umount', ['--lazy', disk])
  }
}

/** Creates the store that each run copies. */
async function makeStore(path: string): Promise<CreatedUser> {
  await using service = await Service.start({ FISH_STORAGE: `file:${path}` })
  const [player] = await service.createPlayers(1)
  await service.end('SIGTERM')
  if (!player) throw new Error('No player.')
  return player
}

/** The longest time that a server with a fault may take to start or to acknowledge catches. */
const PATIENCE_MS = 10_000

/**
 * Starts a server with one failing call, posts catches, kills the server, and starts the server again without the
 * fault.
 */
async function failOnce(data: string, player: CreatedUser, env: Readonly<Record<string, string>>): Promise<Catches> {
  await using service = await Service.create({ FISH_STORAGE: `file:${data}` })
  await using journal = await Journal.create(`${data}.journal`)
  const started = service.start(env).then(
    () => true,
    () => false,
  )
  const isRunning = await Promise.race([started, wait(PATIENCE_MS, undefined)])
  const load = new Load([player], journal, () => service.url, { clients: 2 })
  if (isRunning) await Promise.race([load.acknowledgements(6), wait(PATIENCE_MS)])
  await service.end('SIGKILL')
  await service.start()
  await load.end()
  const catches = catchesOf(journal, load, await readCollections(service.url, [player]))
  return { ...catches, hung: catches.hung + (isRunning === undefined ? 1 : 0) }
}

const FAULTS: readonly Fault[] = ['eio', 'enospc', 'short']
const STEP: Readonly<Record<Scale, number>> = { short: 9, long: 1 }
const CUTS: Readonly<Record<Scale, number>> = { short: 20, long: 500 }
const WORKERS = 4

export const DISK_EXPERIMENTS: readonly Experiment[] = [
  {
    name: 'disk full, then freed',
    how: 'Clients post while a disk of 8 MiB fills up. Then space is freed. The server keeps running.',
    missing: noRoot,
    async run(scale) {
      const times = scale === 'short' ? 2 : 50
      return nothingLost(`${times} times`, await fillDisk(times))
    },
  },
  {
    name: 'disk read-only, then writable',
    how: 'While clients post, every call that changes a file fails with EROFS, until the disk is writable again. Every second time, the server is killed while the disk is read-only.',
    missing: noCompiler,
    async run(scale) {
      const times = scale === 'short' ? 2 : 50
      using folder = temporaryFolder()
      const data = join(folder.path, 'data')
      const { env, setReadOnly } = buildFaults(folder.path).readOnly(data)
      const catches = await whilePosting({ FISH_STORAGE: `file:${data}`, ...env }, async ({ load, service }) => {
        for (let time = 0; time < times; time += 1) {
          const failed = load.failed
          setReadOnly(true)
          while (load.failed < failed + 20) await wait(10)
          if (time % 2 === 1) await service.end('SIGKILL')
          setReadOnly(false)
          if (time % 2 === 1) await service.start()
          await load.acknowledgements()
        }
      })
      return nothingLost(`${times} times`, catches)
    },
  },
  {
    name: 'a failing call of the disk',
    how: 'In run n, the n-th call that changes a file fails once (EIO, ENOSPC) or writes only half of its data. Then the server is killed. The runs continue up to the last call.',
    missing: noCompiler,
    async run(scale) {
      using folder = temporaryFolder()
      const faults = buildFaults(folder.path)
      const template = join(folder.path, 'template')
      const player = await makeStore(template)
      const runs: Catches[] = []
      const failEachCall = async (fault: Fault) => {
        for (let n = 1; ; n += STEP[scale]) {
          const data = join(folder.path, `${fault}-${n}`)
          cpSync(template, data, { recursive: true })
          const { env, isHit } = faults.failing(data, fault, n)
          runs.push(await failOnce(data, player, env))
          if (!isHit()) return
        }
      }
      await Promise.all(FAULTS.map(failEachCall))
      return nothingLost(`${runs.length} runs`, sum(runs))
    },
  },
  {
    name: 'power cut',
    how: 'All writes and flushes of a server under load are recorded. At random moments, each unflushed write is dropped, kept or torn. Then a server starts on the resulting files.',
    missing: noCompiler,
    async run(scale) {
      using folder = temporaryFolder()
      const recorded = buildFaults(folder.path).recording(join(folder.path, 'data'))
      await using service = await Service.start({ FISH_STORAGE: `file:${folder.path}/data`, ...recorded.env })
      const players = await service.createPlayers(4)
      await using journal = await Journal.create(join(folder.path, 'journal'))
      const begun = performance.timeOrigin + performance.now()
      const load = new Load(players, journal, () => service.url)
      await load.acknowledgements(scale === 'short' ? 100 : 2000)
      await load.end()
      const ended = performance.timeOrigin + performance.now()
      await service.end('SIGKILL')

      const changes = recorded.changes()
      const cutFrom = async (first: number) => {
        const runs: Catches[] = []
        for (let cut = first; cut < CUTS[scale]; cut += WORKERS) {
          const until = begun + Math.random() * (ended - begun)
          const data = join(folder.path, `cut-${cut}`)
          writeFiles(data, cutPower(changes, until, Math.random))
          await using after = await Service.create({ FISH_STORAGE: `file:${data}` })
          const acknowledged = [...journal.acknowledged.values()].filter(({ at }) => at <= until).length
          const damage = await after.start().then(
            async () => journal.compare(await readCollections(after.url, players), until),
            // If the server cannot open the store, all acknowledged catches are lost.
            () => ({ ...NO_DAMAGE, lost: acknowledged }),
          )
          runs.push({ ...damage, acknowledged, hung: 0, slowestMs: 0 })
          rmSync(data, { recursive: true })
        }
        return sum(runs)
      }
      const parts = await Promise.all(Array.from({ length: WORKERS }, (_, first) => cutFrom(first)))
      return nothingLost(`${CUTS[scale]} cuts`, sum(parts))
    },
  },
]
