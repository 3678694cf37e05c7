import { join } from 'node:path'
import type { CreatedUser } from '@fish-crab/sdk/contract'
import { type Catches, type Finding, isWhole } from './experiment.ts'
import { Journal, type StoredCatch } from './journal.ts'
import { Load } from './load.ts'
import { readCollections, Service, temporaryFolder } from './service.ts'

const PLAYERS = 4

/** The context of an experiment while catches are posted. */
export interface Posting {
  readonly service: Service
  readonly players: readonly CreatedUser[]
  readonly load: Load
}

/** Posts catches during a fault, and compares the stored catches with the acknowledged ones. */
export async function whilePosting(
  env: Readonly<Record<string, string>>,
  disturb: (posting: Posting) => Promise<void>,
  options: { readonly clients?: number; readonly pauseMs?: number } = {},
): Promise<Catches> {
  using folder = temporaryFolder()
  await using service = await Service.start(env)
  const players = await service.createPlayers(PLAYERS)
  await using journal = await Journal.create(join(folder.path, 'journal'))
  const load = new Load(players, journal, () => service.url, options)
  await load.acknowledgements(10)
  await disturb({ service, players, load })
  await load.end()
  if (load.refused.size > 0) throw new Error(`Catches were refused with ${[...load.refused].join()}.`)
  return catchesOf(journal, load, await readCollections(service.url, players))
}

/** Determines the outcome of all catches of a finished load. */
export function catchesOf(journal: Journal, load: Load, stored: ReadonlyMap<string, readonly StoredCatch[]>): Catches {
  const { acknowledged, slowestMs } = journal
  return { ...journal.compare(stored), acknowledged: acknowledged.size, hung: load.hung, slowestMs }
}

/** Adds up the outcomes of several runs. */
export function sum(runs: readonly Catches[]): Catches {
  return runs.reduce((a, b) => ({
    acknowledged: a.acknowledged + b.acknowledged,
    lost: a.lost + b.lost,
    doubled: a.doubled + b.doubled,
    torn: a.torn + b.torn,
    falselyAcknowledged: a.falselyAcknowledged + b.falselyAcknowledged,
    disordered: a.disordered + b.disordered,
    hung: a.hung + b.hung,
    slowestMs: Math.max(a.slowestMs, b.slowestMs),
  }))
}

/** Creates the finding of an experiment that fails if any catch is damaged. */
export function nothingLost(figure: string, catches: Catches): Finding {
  return { figure, limit: 'nothing lost', isMet: isWhole(catches), catches }
}
