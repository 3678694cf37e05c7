import { userNameKey } from '@fish-crab/sdk/constants'
import { CliError, EXIT, usageError } from '../../core/errors.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { LogPosition } from './parser.ts'

/** The keys of the names under which a player appears in logs. */
export type PlayerNames = ReadonlySet<string>

/** @param inLog a list of names, separated by commas */
export function playerNames(user: string, inLog = ''): PlayerNames {
  return new Set([user, ...inLog.split(',')].map((name) => userNameKey(name.trim())))
}

type Played = Pick<LogPosition, 'player'>

/** Returns the player in the log if the game runs as another player. */
export function otherPlayer({ player }: Played, ownNames: PlayerNames): string | undefined {
  return player === undefined || ownNames.has(userNameKey(player)) ? undefined : player
}

export function otherPlayers(all: readonly Played[], ownNames: PlayerNames): readonly string[] {
  const others = all.map((one) => otherPlayer(one, ownNames)).filter((name) => name !== undefined)
  return [...new Map(others.map((name) => [userNameKey(name), name])).values()]
}

function otherPlayerText(player: string, user: string): string {
  return `The game runs as ${player}, but watch adds the catches for ${user}.`
}

/** Notes each other player once. */
export function createPlayerNotes({ note }: Terminal, user: string, ownNames: PlayerNames) {
  const noted = new Set<string>()
  return (one: Played): void => {
    const player = otherPlayer(one, ownNames)
    if (player === undefined || noted.has(player)) return
    noted.add(player)
    note(`fish-cli: ${otherPlayerText(player, user)}`)
    note(`  To add the catches for ${player}, log in as ${player} with --profile, and run watch with that profile.`)
  }
}

interface Acceptance {
  readonly user: string
  readonly ownNames: PlayerNames
}

/**
 * Prompts for each other player. @returns `ownNames` and the confirmed names.
 * @throws CliError `usage`
 * if a prompt is not possible, or `not_confirmed`
 */
export async function acceptPlayers(
  terminal: Terminal,
  others: readonly string[],
  { user, ownNames }: Acceptance,
): Promise<PlayerNames> {
  const [first] = others
  if (first === undefined) return ownNames
  if (!terminal.canPrompt) {
    throw usageError(
      otherPlayerText(first, user),
      `If ${others.join(' and ')} in the log is ${user}, add --user-in-log ${others.join(',')}.`,
    )
  }
  for (const player of others) {
    if (await terminal.ask(`The game runs as ${player}. Add these catches for ${user}`)) continue
    throw new CliError({ code: 'not_confirmed', message: 'Nothing was added.', exit: EXIT.failure })
  }
  return new Set([...ownNames, ...others.map(userNameKey)])
}
