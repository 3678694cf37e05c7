import { chatMessageOf } from '@fish-crab/sdk/chat'
import type { Gamemode } from '@fish-crab/sdk/constants'

/** Location of the player according to the log; empty when unknown. */
export interface PlayerLocation {
  readonly gamemode?: Gamemode | undefined
  /** A server that is not a gamemode, such as `hub`. */
  readonly elsewhere?: string | undefined
}

// The game writes `Connecting to earth.example.net, 25565`, but not as a chat message.
const CONNECTING = /\]: Connecting to ([^\s,]{1,253}), \d{1,5}\s*$/
// Messages of servers that move a player. The pattern matches only at the start of a message, where messages from
// players have the name of the player.
const MOVED =
  /^(?:sending|sent|connecting|connected|moving|moved|transferring|transferred|teleporting|teleported|welcome|you(?: are| have been|'ve been|’ve been|'re|’re)(?: now)?(?: sent| connected| moved| transferred| teleported| playing)?)(?: you)? (?:to|on|in|into)(?: the)? (\w+)/i
// Messages that name a server. "Welcome to the server" and "Teleporting to spawn" do not name a server.
const SENT =
  /^(?:(?:sending|connecting|transferring|moving)(?: you)?|you (?:are being|have been|were) (?:sent|connected|transferred|moved)) to(?: the)?(?: server)? ([\w-]{1,64})(?: server)? ?(?:\.{0,3}|…|!)$/i
const NOT_A_SERVER = /^(?:spawn|home|warp|server|world)$/i
// First labels of addresses that name the whole network, and IP addresses.
const NETWORK = /^(?:play|mc|minecraft|join|server|proxy|net|network|www|localhost|eu|us|na|\d+|\[.*)$/i

/**
 * Reads the location of the player from a line of the log. Returns `undefined` for lines without a location, and an
 * empty location for an address that names only the network.
 */
export function readLocation(line: string, gamemodes: readonly Gamemode[]): PlayerLocation | undefined {
  const [, host] = CONNECTING.exec(line) ?? []
  if (host !== undefined && !line.includes('[CHAT]')) {
    const [name = ''] = host.split('.')
    return NETWORK.test(name) ? {} : locationNamed(name, gamemodes)
  }
  // This test is cheaper than parsing each line as chat.
  if (!/ (?:to|on|in|into) /i.test(line)) return undefined
  const text = chatMessageOf(line)?.text ?? ''
  const [, moved = ''] = MOVED.exec(text) ?? []
  const gamemode = matchGamemode(moved, gamemodes)
  if (gamemode) return { gamemode }
  const [, sent] = SENT.exec(text) ?? []
  return sent === undefined || NOT_A_SERVER.test(sent) ? undefined : locationNamed(sent, gamemodes)
}

/** Returns the name of the player, which the game writes to its log when it starts. */
export function readPlayer(line: string): string | undefined {
  return line.includes('[CHAT]') ? undefined : /\]: Setting user: (\w{1,32})\s*$/.exec(line)?.[1]
}

/** Whether a log with this first line belongs to a new game, and is not the rest of a rotated log. */
export function isGameStart(firstLine: string): boolean {
  return !firstLine.includes('[CHAT]') && /\[main\/|\[Datafixer Bootstrap\/|\]: Setting user: /.test(firstLine)
}

function locationNamed(name: string, gamemodes: readonly Gamemode[]): PlayerLocation {
  const gamemode = matchGamemode(name, gamemodes)
  return gamemode ? { gamemode } : { elsewhere: name }
}

function matchGamemode(word: string, gamemodes: readonly Gamemode[]): Gamemode | undefined {
  const name = word.toLowerCase()
  // A gamemode may have numbered servers, such as `earth-2`.
  const plain = name.replace(/(?<![\d_-])[\d_-]+$/, '')
  return gamemodes.find((gamemode) => gamemode === name) ?? gamemodes.find((gamemode) => gamemode === plain)
}
