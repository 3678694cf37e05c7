import { NotFoundError } from '@fish-crab/sdk'
import type { AdminClient } from '@fish-crab/sdk/admin'
import { LIMITS, userNameKey } from '@fish-crab/sdk/constants'
import type { UserLine } from '@fish-crab/sdk/contract'
import { commandLine } from '../../core/argv.ts'
import { describeError, hintForCode } from '../../core/describe-error.ts'
import { CliError, EXIT } from '../../core/errors.ts'
import { rememberGamemodes } from '../../session/gamemodes.ts'
import type { Session } from '../../session/session.ts'
import { administratorWords, gamemodeWords } from '../../session/target.ts'
import { loginFileFormat } from '../account/login-file.ts'
import { openSource } from '../add/source.ts'
import { type LoginFolder, openLoginFolder } from './login-folder.ts'
import { type ListedPlayer, readPlayers } from './player-list.ts'

interface CreateManyFlags {
  readonly file: string
  readonly folder: string
  readonly gamemode?: string | undefined
  readonly resetMissing: boolean
}

/** The outcome of a run until now. */
interface Outcome {
  created: number
  reset: number
  /** Players that exist without a login file. */
  missing: string[]
}

/**
 * Creates the players in a file. The login file of each player is on the disk before the next outcome is read, so that a
 * run that stops loses only the secrets of players of the current request.
 */
export async function createMany(session: Session, flags: CreateManyFlags): Promise<number> {
  const { signal, system, terminal, url } = session
  const players = await readList(session, flags.file)
  const folder = await openLoginFolder(flags.folder)
  const admin = await session.admin()
  const { gamemodes, publicUrl } = await admin.me({ signal })
  rememberGamemodes(session, url, gamemodes)
  const gamemode = flags.gamemode === undefined ? undefined : await session.optionalGamemode()
  const format = loginFileFormat(session, publicUrl)
  const existing = new Set<string>()
  for await (const { name } of admin.users.iterate({ signal, pageSize: LIMITS.pageSize })) {
    existing.add(userNameKey(name))
  }
  const isExisting = ({ name }: ListedPlayer) => existing.has(userNameKey(name))
  const hasFile = ({ name }: ListedPlayer) => folder.has(name)
  for (const player of players) {
    if (!hasFile(player) || isExisting(player)) continue
    if (!(await isFormerName(admin, player.name, signal))) throw foreignFile(folder, player.name)
    existing.add(userNameKey(player.name))
  }
  const outcome: Outcome = {
    created: 0,
    reset: 0,
    missing: players.filter((player) => isExisting(player) && !hasFile(player)).map(({ name }) => name),
  }
  const fresh = players.filter((player) => !isExisting(player))
  folder.create()
  const run = {
    admin,
    signal,
    outcome,
    progress: terminal.progress,
    save: (name: string, secrets: Secrets) => folder.write(name, format({ name, ...secrets, gamemode })),
  }
  try {
    await createPlayers(run, fresh)
    if (flags.resetMissing) await resetMissing(run)
  } catch (error) {
    throw stoppedError(error, outcome, fresh.length)
  }
  return report(session, flags, {
    outcome,
    players: players.length,
    skipped: players.filter((player) => isExisting(player) && hasFile(player)).length,
  })

  async function readList({ terminal: { flags, note } }: Session, file: string) {
    await using source = await openSource(system.stdin, file, signal)
    return await readPlayers(source, flags.json ? undefined : note)
  }
}

interface Secrets {
  readonly password: string
  readonly fernetKey?: string
  readonly apiKey: string
}

interface CreationRun {
  readonly admin: AdminClient
  readonly signal: AbortSignal
  readonly outcome: Outcome
  readonly progress: Session['terminal']['progress']
  save(name: string, secrets: Secrets): void
}

// The service may create all players of a request before this program reads the first outcome, so a stop loses the secrets
// of up to this many players. The limit of administrators allows to reset this many players at once.
const PLAYERS_PER_REQUEST = 50

async function createPlayers({ admin, signal, outcome, ...run }: CreationRun, players: readonly ListedPlayer[]) {
  if (players.length === 0) return
  const progress = run.progress({ unit: 'players', label: 'Creating', total: players.length })
  let done = 0
  try {
    for (let from = 0; from < players.length; from += PLAYERS_PER_REQUEST) {
      const part = players.slice(from, from + PLAYERS_PER_REQUEST)
      for await (const line of admin.users.createMany(part, { signal })) {
        if (line.status === 'created') {
          const { name, password, fernetKey, apiKey } = line
          run.save(name, { password, fernetKey, apiKey })
          outcome.created += 1
        } else if (line.code === 'user_exists') outcome.missing.push(line.name)
        else throw lineError(line)
        done += 1
        progress.update(done)
      }
    }
  } finally {
    progress.end()
  }
}

function lineError({ name, code, error }: Extract<UserLine, { status: 'error' }>): CliError {
  const message = `${name} was not created: ${error}`
  return new CliError({ code, message, hint: hintForCode(code), exit: EXIT.partly })
}

async function resetMissing({ admin, signal, outcome, ...run }: CreationRun): Promise<void> {
  const names = outcome.missing
  if (names.length === 0) return
  const progress = run.progress({ unit: 'players', label: 'Resetting', total: names.length })
  try {
    for (const [index, name] of names.entries()) {
      if (await isUnused(admin, name, signal)) {
        const { password } = await admin.users.reset(name, 'password', { signal })
        const { apiKey } = await admin.users.reset(name, 'api-key', { signal })
        run.save(name, { password, apiKey })
        outcome.reset += 1
        outcome.missing = outcome.missing.filter((each) => each !== name)
      }
      progress.update(index + 1)
    }
  } finally {
    progress.end()
  }
}

const UNUSED_ACTIONS = new Set(['user.create', 'user.reset.password', 'user.reset.api-key'])

/** Whether nobody has used the secrets of a player, and nothing but these secrets leads to the account. */
async function isUnused(admin: AdminClient, name: string, signal: AbortSignal): Promise<boolean> {
  const player = await admin.users.get(name, { signal })
  // The old name of a renamed player also leads to the player.
  if (userNameKey(player.name) !== userNameKey(name)) return false
  if (player.lastKeyReadAt !== undefined || player.lastCatch !== undefined) return false
  const { entries } = await admin.audit.list({ user: player.name, signal })
  return entries.every(({ action }) => UNUSED_ACTIONS.has(action))
}

/** Whether a name that is not in the list of players is the old name of a renamed player. */
async function isFormerName(admin: AdminClient, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    await admin.users.get(name, { signal })
    return true
  } catch (error) {
    if (error instanceof NotFoundError) return false
    throw error
  }
}

function foreignFile(folder: LoginFolder, name: string): CliError {
  return new CliError({
    code: 'file_exists',
    message: `${folder.path(name)} exists, but the service has no player ${name}; nothing was changed.`,
    hint: 'Pass a folder for this service to --login-files. If the player was deleted, remove the file.',
    exit: EXIT.conflict,
  })
}

function stoppedError(error: unknown, { created, reset }: Outcome, total: number): CliError {
  const { message, hint, ...report } = describeError(error, 'administrator')
  const resets = reset === 0 ? '' : ` Reset ${playersText(reset)}.`
  return new CliError({
    ...report,
    message: `${message} Created ${created} of ${playersText(total)}.${resets}`,
    hint: [...(hint === null ? [] : hint.split('\n')), 'To continue, repeat the command.'],
  })
}

function playersText(count: number): string {
  return count === 1 ? '1 player' : `${count} players`
}

interface Finished {
  readonly outcome: Outcome
  readonly players: number
  readonly skipped: number
}

function report(
  { target, terminal }: Session,
  flags: CreateManyFlags,
  { outcome, players, skipped }: Finished,
): number {
  const { created, reset, missing } = outcome
  const { file, folder, resetMissing } = flags
  const words = ['user', 'create', '--file', file, '--login-files', folder, '--reset-missing']
  const resetCommand = commandLine(...words, ...gamemodeWords(target), ...administratorWords(target))
  terminal.print({ players, created, skipped, reset, missing, folder }, () => [
    `Created ${playersText(created)}. The login files are in ${folder}.`,
    ...(skipped === 0 ? [] : [`Skipped ${playersText(skipped)} with a login file.`]),
    ...(reset === 0 ? [] : [`Reset ${playersText(reset)} without a login file.`]),
  ])
  if (missing.length === 0) return EXIT.ok
  const link = commandLine('user', 'login-link', 'NAME', ...administratorWords(target))
  terminal.note([
    `fish-cli: ${playersText(missing.length)} without a login file: ${missing.join(', ')}.`,
    resetMissing
      ? `Their secrets may be in use, so nothing was reset. To let such a player choose a new password: ${link}`
      : `To reset those that never used their secrets: ${resetCommand}`,
  ])
  return EXIT.partly
}
