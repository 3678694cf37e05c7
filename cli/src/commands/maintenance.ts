import type { MaintenanceErrorCode, MaintenanceProgress } from '@fish-crab/server'
import type { Context } from '../core/context.ts'
import { CliError, EXIT, type ExitStatus, usageError } from '../core/errors.ts'
import { printable } from '../output/text.ts'
import { type CommandContext, Flags } from './define.ts'

/** `--storage` of commands that work on the data directly, not through a service. */
export const storageFlag = {
  storage: Flags.string({ summary: 'Address of the storage (FISH_STORAGE, else file:./data).', helpValue: 'ADDRESS' }),
}

/** The settings as the server takes them. */
export function storageSource(
  env: Readonly<Record<string, string | undefined>>,
  { storage }: { readonly storage?: string | undefined },
) {
  return { env, flags: storage === undefined ? {} : { storage } }
}

/**
 * Rejects an empty path, as of an unset variable, which would mean the current folder.
 * @param name Its name on the command line.
 * @param kind What it must lead to.
 * @throws CliError
 */
export function refuseEmptyPath(path: string, name: string, kind: 'file' | 'folder'): void {
  if (path === '') throw usageError(`${name} is empty.`, `Name a ${kind}.`)
}

const EXITS: Partial<Readonly<Record<MaintenanceErrorCode, ExitStatus>>> = {
  no_store: EXIT.notFound,
  no_admin: EXIT.notFound,
  exists: EXIT.conflict,
  in_use: EXIT.conflict,
  wrong_secret: EXIT.credentials,
  missing_secret: EXIT.credentials,
  invalid_settings: EXIT.usage,
  invalid_path: EXIT.usage,
  invalid_line: EXIT.usage,
  unavailable: EXIT.unreachable,
  interrupted: EXIT.interrupted,
}

// Hints for errors without one. Usage errors point to the help of the command.
const MAINTENANCE_HINTS: Partial<Readonly<Record<MaintenanceErrorCode, string>>> = {
  full: 'Free some space and try again.',
  read_only: 'Run this as the owner of the folder, or name another folder.',
  unavailable: 'Check --storage (FISH_STORAGE) and that the storage is running.',
}
const CHECK = 'Check the paths and --storage (FISH_STORAGE).'

/** Runs maintenance with the server's code, loaded only then, and converts its errors. */
async function maintain<Result>(run: (server: typeof import('@fish-crab/server')) => Promise<Result>): Promise<Result> {
  const server = await import('@fish-crab/server')
  try {
    return await run(server)
  } catch (error) {
    if (!(error instanceof server.MaintenanceError)) throw error
    const { code, message } = error
    const exit = EXITS[code] ?? EXIT.failure
    const hint = error.hint ?? MAINTENANCE_HINTS[code] ?? (exit === EXIT.usage ? undefined : CHECK)
    throw new CliError({ code, message, hint, exit })
  }
}

/** Runs maintenance and shows its progress on stderr, unless `--json` is given. */
export async function runMaintenance<Result>(
  io: Context,
  { json }: { readonly json?: boolean | undefined },
  run: (
    server: typeof import('@fish-crab/server'),
    options: { readonly onProgress?: (progress: MaintenanceProgress) => void },
  ) => Promise<Result>,
): Promise<Result> {
  if (json) return maintain((server) => run(server, {}))
  const { createMaintenanceProgress } = await import('./maintenance-progress.ts')
  const { onProgress, end } = createMaintenanceProgress(io)
  try {
    return await maintain((server) => run(server, { onProgress }))
  } finally {
    end()
  }
}

/** The contents of a copy of a store, in one line. */
export function contentsText({ users, records, entries }: { users: number; records: number; entries: number }): string {
  return `players: ${users}, catches: ${entries}, writes: ${records}`
}

/** Notes the secret that a copy needs, unless it contains it. */
export function noteSecret(context: CommandContext, copy: { folder: string; secrets: 'included' | 'needed' }): void {
  if (copy.secrets === 'included') return
  context.note(`Also keep FISH_SECRET: no secret in ${printable(copy.folder)} decrypts its keys.`)
}
