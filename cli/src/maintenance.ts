import type { MaintenanceErrorCode } from '@fish-crab/server'
import { Flags } from '@oclif/core'
import { CliError } from './cli-error.ts'
import { EXIT, type ExitStatus } from './exit.ts'
import { printable } from './output/printable.ts'

/** `--storage` of a command that works on the data itself, not through a service. */
export const storageFlag = {
  storage: Flags.string({ summary: 'Where the data is (FISH_STORAGE, else file:./data).', helpValue: 'ADDRESS' }),
}

/** The settings of such a command, as flags of the server. */
export function storageSource(
  env: Readonly<Record<string, string | undefined>>,
  { storage }: { readonly storage?: string | undefined },
) {
  return { env, flags: storage === undefined ? {} : { storage } }
}

const EXITS: Partial<Readonly<Record<MaintenanceErrorCode, ExitStatus>>> = {
  no_store: EXIT.notFound,
  exists: EXIT.conflict,
  in_use: EXIT.conflict,
  wrong_secret: EXIT.credentials,
  missing_secret: EXIT.credentials,
  invalid_settings: EXIT.usage,
  invalid_line: EXIT.usage,
  unavailable: EXIT.unreachable,
  interrupted: EXIT.interrupted,
}

/** Does maintenance with the server's code, which is loaded for it alone, and tells its failures as this program's. */
export async function maintain<Result>(
  run: (server: typeof import('@fish-crab/server')) => Promise<Result>,
): Promise<Result> {
  const server = await import('@fish-crab/server')
  try {
    return await run(server)
  } catch (error) {
    if (!(error instanceof server.MaintenanceError)) throw error
    const { code, message, hint } = error
    throw new CliError({ code, message, exit: EXITS[code] ?? EXIT.failure, ...(hint === undefined ? {} : { hint }) })
  }
}

/** What a copy of a store holds, in one line. */
export function holding({ users, records, entries }: { users: number; records: number; entries: number }): string {
  return `players: ${users}, catches: ${entries}, writes: ${records}`
}

/** What to know about the secret of a copy; nothing when it is there. */
export function secretNote(secrets: 'included' | 'needed', folder: string): string[] {
  if (secrets === 'included') return []
  return [`Keep FISH_SECRET as well: ${printable(folder)} holds none that opens its keys.`]
}
