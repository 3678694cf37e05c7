import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { MaintenanceError, maintain } from './maintenance-error.ts'

/** A name that exists only while something is made, and the one that people know. */
export interface DraftNames {
  readonly draft: string
  readonly shown: string
}

/** A new name beside the one that it is to have, and that one whole. */
export function partialNames(path: string): DraftNames {
  const shown = resolve(path)
  return { draft: `${shown}.partial-${randomBytes(4).toString('hex')}`, shown }
}

/** Does maintenance under a passing name; its errors tell the name that people know. */
export async function namingPaths<Result>({ draft, shown }: DraftNames, work: () => Promise<Result>): Promise<Result> {
  try {
    return await maintain(work)
  } catch (error) {
    if (!(error instanceof MaintenanceError) || !error.message.includes(draft)) throw error
    const { code, message, hint } = error
    throw new MaintenanceError(code, message.replaceAll(draft, shown), {
      cause: error,
      ...(hint === undefined ? {} : { hint }),
    })
  }
}

/** The same in a new folder for the owner alone. It is gone afterwards, unless it was given its name. */
export function inDraft<Result>(names: DraftNames, work: () => Promise<Result>): Promise<Result> {
  return namingPaths(names, async () => {
    mkdirSync(names.draft, { mode: 0o700 })
    try {
      return await work()
    } finally {
      rmSync(names.draft, { recursive: true, force: true })
    }
  })
}
