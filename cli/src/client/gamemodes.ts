import type { Client } from '@fish-crab/sdk'
import { type Gamemode, isGamemode } from '@fish-crab/sdk/constants'
import { closestWord } from '../../../sdk/src/internal/closest-word.ts'
import { knownGamemodes, rememberGamemodes } from '../config/gamemodes.ts'
import { resolveTarget, type Target, type TargetFlags } from '../config/target.ts'
import type { Context } from '../core/context.ts'
import { usageError } from '../core/errors.ts'

type Service = Pick<Target, 'url' | 'maxWait'>

const STATUS_MS = 3000

/** Reads the current gamemodes of a service. */
async function fetchGamemodes(
  context: Context,
  { url }: Service,
  { client, signal }: { readonly client: Pick<Client, 'status'>; readonly signal: AbortSignal },
): Promise<readonly Gamemode[]> {
  const { gamemodes } = await client.status({ signal })
  return rememberGamemodes(context, url.value, gamemodes)
}

/**
 * Like {@link fetchGamemodes}, but without a long wait. If the service does not respond, returns the gamemodes that
 * this machine knows.
 */
export async function askForGamemodes(context: Context, service: Service): Promise<readonly Gamemode[]> {
  // The client is loaded only for this request, because loading the client takes longer than the rest of a command.
  const [{ createClient }, { clientOptions }] = await Promise.all([import('@fish-crab/sdk'), import('./client.ts')])
  try {
    const client = createClient({ ...clientOptions(context, service), maxWaitMs: 0, maxRetries: 0 })
    return await fetchGamemodes(context, service, { client, signal: AbortSignal.timeout(STATUS_MS) })
  } catch {
    // The next request reports why the service does not respond.
    return knownGamemodes(context, service.url.value)
  }
}

/**
 * Finds a gamemode by name. If this machine does not know the name, requests the gamemodes from the service.
 * @param from The origin of the name, such as `--gamemode`
 * @throws CliError `usage`
 */
export async function findGamemode(context: Context, service: Service, typed: string, from: string): Promise<Gamemode> {
  const name = typed.toLowerCase()
  const known = knownGamemodes(context, service.url.value)
  if (known.includes(name)) return name
  const listed = isGamemode(name) ? await askForGamemodes(context, service) : known
  if (listed.includes(name)) return name
  const meant = closestWord(name, listed)
  const list = `Gamemodes: ${listed.join(', ')}`
  throw usageError(`Unknown gamemode in ${from}.`, meant === undefined ? list : `Did you mean: ${meant}? ${list}`)
}

const SOURCES = {
  flag: '--gamemode',
  environment: 'FISH_GAMEMODE',
  profile: 'the profile',
  setting: 'the setting',
  default: 'the default',
} as const

/** @throws CliError `usage` */
export async function gamemodeOf(context: Context, target: Service & Pick<Target, 'gamemode'>) {
  const { gamemode } = target
  return gamemode?.value ? findGamemode(context, target, gamemode.value, SOURCES[gamemode.from]) : undefined
}

/** @throws CliError `usage` */
export async function requireGamemode(context: Context, target: Target): Promise<Gamemode> {
  const gamemode = await gamemodeOf(context, target)
  if (gamemode !== undefined) return gamemode
  const listed = await askForGamemodes(context, target)
  const hint = `Add --gamemode with one of ${listed.join(', ')}. To set it for all commands: fish-cli config gamemode GAMEMODE`
  throw usageError('The gamemode is missing.', hint)
}

interface Move {
  readonly from: Gamemode
  readonly to: Gamemode
  /** The target without `--gamemode`, because `--gamemode` names the destination. */
  readonly target: Target
}

/**
 * @param records the moved records in messages, such as their ids
 * @throws CliError `usage`
 */
export async function parseMove(
  context: Context,
  flags: TargetFlags & { readonly from?: string | undefined },
  records: string,
): Promise<Move> {
  if (flags.gamemode === undefined)
    throw usageError(`The gamemode to move ${records} to is missing.`, 'Add --gamemode GAMEMODE.')
  const target = resolveTarget(context, { ...flags, gamemode: undefined })
  const to = await findGamemode(context, target, flags.gamemode, '--gamemode')
  const from =
    flags.from === undefined
      ? await gamemodeOf(context, target)
      : await findGamemode(context, target, flags.from, '--from')
  if (from === undefined) throw usageError(`The gamemode to move ${records} from is missing.`, 'Add --from GAMEMODE.')
  if (from === to) {
    throw usageError(`Both gamemodes are ${to}.`, 'Name the gamemode that contains the records: --from GAMEMODE')
  }
  return { from, to, target }
}
