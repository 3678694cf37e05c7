import type { MaintenanceErrorCode, MaintenanceProgress } from '@fish-crab/server/maintenance'
import { shellCommand } from '../../../../server/src/node/shell-command.ts'
import { catchesText } from '../../core/amounts.ts'
import { CliError, EXIT, type ExitStatus, usageError } from '../../core/errors.ts'
import type { Env } from '../../core/system.ts'
import { Flags } from '../../kit/define.ts'
import type { Session } from '../../session/session.ts'
import type { Progress } from '../../terminal/progress.ts'
import type { Terminal } from '../../terminal/terminal.ts'

/** The flag of commands that work on the data directly, not through a service. */
export const storageFlag = {
  storage: Flags.string({ summary: 'Address of the storage (FISH_STORAGE, else file:./data).', helpValue: 'ADDRESS' }),
}

/** An empty path, for example from an unset variable, would mean the current folder. */
export function refuseEmptyPath(path: string, name: string, kind: 'file' | 'folder'): void {
  if (path === '') throw usageError(`${name} is empty.`, `Pass the path of a ${kind}.`)
}

const EXITS: Partial<Readonly<Record<MaintenanceErrorCode, ExitStatus>>> = {
  no_store: EXIT.notFound,
  no_admin: EXIT.notFound,
  exists: EXIT.conflict,
  in_use: EXIT.conflict,
  wrong_secret: EXIT.credentials,
  missing_secret: EXIT.credentials,
  invalid_settings: EXIT.usage,
  other_user: EXIT.usage,
  invalid_path: EXIT.usage,
  invalid_dump: EXIT.usage,
  unavailable: EXIT.unreachable,
  interrupted: EXIT.interrupted,
}

// Hints for errors without a hint. Usage errors refer to the help of the command.
const MAINTENANCE_HINTS: Partial<Readonly<Record<MaintenanceErrorCode, string>>> = {
  full: 'Free some space and try again.',
  read_only: 'Run the command as the owner of the folder, or choose another folder.',
  unavailable: 'Check the address of the storage and that the storage is running.',
}
const CHECK = 'Check the paths and the address of the storage.'

interface MaintenanceSource {
  readonly env: Env
  readonly flags: { readonly storage?: string }
  readonly onProgress?: (progress: MaintenanceProgress) => void
}

/** Runs a function of maintenance, whose code is loaded on demand. */
export async function runMaintenance<Result>(
  session: Session,
  storage: string | undefined,
  run: (maintenance: typeof import('@fish-crab/server/maintenance'), source: MaintenanceSource) => Promise<Result>,
): Promise<Result> {
  const { argv, env, terminal } = session
  const maintenance = await import('@fish-crab/server/maintenance')
  const progress = terminal.flags.json ? undefined : createMaintenanceProgress(terminal)
  try {
    return await run(maintenance, {
      env,
      flags: storage === undefined ? {} : { storage },
      ...(progress && { onProgress: progress.onProgress }),
    })
  } catch (error) {
    if (!(error instanceof maintenance.MaintenanceError)) throw error
    const { code, message } = error
    const exit = EXITS[code] ?? EXIT.failure
    const ownHint = error.runAs ? runAsHint(error.runAs, argv) : error.hint?.split('\n')
    const hint = ownHint ?? MAINTENANCE_HINTS[code] ?? (exit === EXIT.usage ? undefined : CHECK)
    throw new CliError({ code, message, hint, exit })
  } finally {
    progress?.end()
  }
}

// An address of Redis may contain a password: the printed command takes such an address from the environment.
const SECRET_ADDRESS = /^(?:--storage=)?rediss?(?:-cluster)?:.*@/i

function runAsHint(runAs: readonly string[], argv: readonly string[]): readonly string[] {
  const isSecret = (word = '') => SECRET_ADDRESS.test(word)
  const safe = argv.filter((word, index) => !(isSecret(word) || (word === '--storage' && isSecret(argv[index + 1]))))
  const storage = safe.length < argv.length ? ', with the storage in FISH_STORAGE' : ''
  return [`Run the command as that user${storage}:`, `    ${shellCommand([...runAs, 'fish-cli', ...safe])}`]
}

const LABELS: Readonly<Record<MaintenanceProgress['step'], string>> = {
  check: 'Checking',
  copy: 'Copying',
  write: 'Writing',
  rotate: 'Encrypting',
  hash: 'Hashing',
}

export function createMaintenanceProgress(terminal: Pick<Terminal, 'progress'>) {
  let current: { readonly step: string; readonly progress: Progress; readonly done: number } | undefined
  return {
    onProgress({ step, unit, done, total }: MaintenanceProgress) {
      // If the count decreases, the current step has started again, for example for a second check.
      if (current?.step !== step || done < current.done) {
        current?.progress.end()
        const amount = unit === 'bytes' ? { amount: bytesText } : {}
        current = { step, done, progress: terminal.progress({ unit, total, label: LABELS[step], ...amount }) }
      }
      current = { ...current, done }
      current.progress.update(done)
    },
    end() {
      current?.progress.end()
      current = undefined
    },
  }
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** @example bytesText(12_345_678) // '12 MB' */
function bytesText(bytes: number): string {
  const power = Math.max(0, Math.min(Math.floor(Math.log10(Math.max(1, bytes)) / 3), UNITS.length - 1))
  const amount = bytes / 1000 ** power
  return `${power > 0 && amount < 10 ? amount.toFixed(1) : Math.floor(amount)} ${UNITS[power]}`
}

/** @example contentsText({ users: 1, entries: 40 }) // '1 player and 40 catches' */
export function contentsText({ users, entries }: { users: number; entries: number }): string {
  return `${users} ${users === 1 ? 'player' : 'players'} and ${catchesText(entries)}`
}

export function noteSecret(terminal: Terminal, copy: { folder: string; secrets: 'included' | 'needed' }): void {
  if (copy.secrets === 'included') return
  terminal.note(`Also keep FISH_SECRET: without FISH_SECRET, the keys in ${copy.folder} cannot be decrypted.`)
}
