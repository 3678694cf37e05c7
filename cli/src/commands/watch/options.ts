import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Gamemode } from '@fish-crab/sdk'
import { createChatPattern } from '@fish-crab/sdk/chat'
import { CliError, EXIT, usageError } from '../../core/errors.ts'
import { fetchGamemodes, findGamemode, knownGamemodes } from '../../session/gamemodes.ts'
import { configPath } from '../../session/paths.ts'
import type { Session } from '../../session/session.ts'
import { settingValue } from '../../session/settings.ts'
import { createChatReader } from './chat-reader.ts'
import { ENCODING_RULE, type LogEncoding, logEncoding, systemEncoding } from './log-encoding.ts'
import { isGzipped } from './log-file.ts'
import type { ChatReader } from './parser.ts'
import { type PlayerNames, playerNames } from './players.ts'

interface WatchFlags {
  readonly gamemode?: string | undefined
  readonly once?: boolean | undefined
  readonly notify?: string | undefined
  readonly encoding?: string | undefined
  readonly 'user-in-log'?: string | undefined
  readonly yes?: boolean | undefined
  readonly 'dry-run'?: boolean | undefined
}

export interface WatchOptions {
  readonly flags: WatchFlags
  readonly user: string
  readonly ownNames: PlayerNames
  readonly chat: ChatReader
  /** The encoding of logs that are neither UTF-8 nor UTF-16. */
  readonly encoding: LogEncoding
  /**
   * The gamemodes for catches whose log does not name a gamemode. `flag` comes from the command line, `usual` from any
   * source.
   */
  readonly gamemode: { readonly flag: Gamemode | undefined; readonly usual: Gamemode | undefined }
  /** Absolute paths. An empty list selects the logs of all games. */
  readonly paths: readonly string[]
}

/** @throws CliError `usage`, `invalid_config` */
export async function watchOptions(
  session: Session,
  logs: readonly string[],
  flags: WatchFlags,
): Promise<WatchOptions> {
  const paths = logs.map((path) => resolve(path))
  requireReadable(paths, flags)
  const usual = await session.optionalGamemode()
  const gamemode = { flag: flags.gamemode === undefined ? undefined : usual, usual }
  const user = session.user()
  const chat = chatReaderOf(session, knownGamemodes(session, session.url))
  const ownNames = playerNames(user, flags['user-in-log'])
  const encoding = await legacyEncoding(session, flags)
  return { flags, user, ownNames, chat, encoding, gamemode, paths }
}

// Most old logs are from Windows in Western Europe and America.
const DEFAULT_ENCODING = 'windows-1252'

/** @throws CliError `usage` */
async function legacyEncoding({ env, config }: Session, { encoding }: WatchFlags): Promise<LogEncoding> {
  const declared = encoding ?? settingValue('encoding', env, config.settings)
  if (declared !== undefined) {
    const known = logEncoding(declared)
    if (known) return known
    throw usageError(`Unknown encoding "${declared}".`, `--encoding must be ${ENCODING_RULE}.`)
  }
  const system = (await systemEncoding({ platform: process.platform, env })) ?? ''
  return logEncoding(system) ?? (logEncoding(DEFAULT_ENCODING) as LogEncoding)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function requireReadable(paths: readonly string[], flags: WatchFlags): void {
  if (flags.once) return
  if (flags['dry-run']) throw usageError('--dry-run needs --once.', 'For example: fish-cli watch --once --dry-run')
  if (paths.some(isFolder)) throw usageError('A folder cannot be followed.', 'To read its logs, add --once.')
  if (paths.some(isGzipped)) throw usageError('A compressed log cannot be followed.', 'To read the log, add --once.')
}

/** @throws CliError `invalid_config` */
function chatReaderOf(session: Session, gamemodes: readonly Gamemode[]): ChatReader {
  for (const [index, template] of session.config.patterns.entries()) {
    try {
      createChatPattern(template)
    } catch (error) {
      throw new CliError({
        code: 'invalid_config',
        message: `Pattern ${index + 1} of ${configPath(session)} cannot be used: ${(error as Error).message}`,
        hint: 'Correct the file. See the examples: fish-cli watch --help',
        exit: EXIT.usage,
      })
    }
  }
  return createChatReader(session.config.patterns, gamemodes)
}

/**
 * Prompts for the gamemode. Returns `undefined` if a prompt is not possible.
 * @throws CliError `usage` for an unknown gamemode
 */
export async function promptForGamemode(session: Session): Promise<Gamemode | undefined> {
  const { terminal } = session
  if (!terminal.canPrompt) return undefined
  const gamemodes = await fetchGamemodes(session)
  const typed = ((await terminal.choose('Gamemode, if the log does not name a gamemode', gamemodes)) ?? '').trim()
  return findGamemode(session, typed, 'your reply')
}
