import { chatMessageOf } from '@fish-crab/sdk/chat'
import { GAMEMODES, type Gamemode } from '@fish-crab/sdk/constants'

/** Where a log says that the player is; neither field where it does not say. */
export interface PlayerLocation {
  readonly gamemode?: Gamemode | undefined
  /** The name of a place that is no gamemode, such as `hub`. */
  readonly elsewhere?: string | undefined
}

// `Connecting to earth.example.net, 25565`, which the game writes outside of the chat.
const CONNECTING = /\]: Connecting to ([^\s,]{1,253}), \d{1,5}\s*$/
// What servers write when they move a player. Lines of players begin with their names.
const MOVED =
  /^(?:sending|sent|connecting|connected|moving|moved|transferring|transferred|teleporting|teleported|welcome|you(?: are| have been|'ve been|’ve been|'re|’re)(?: now)?(?: sent| connected| moved| transferred| teleported| playing)?)(?: you)? (?:to|on|in|into)(?: the)? (\w+)/i
// Of these, the ones that name a server and nothing else: "Welcome to the server" and "Teleporting to spawn" name none.
const SENT =
  /^(?:(?:sending|connecting|transferring|moving)(?: you)?|you (?:are being|have been|were) (?:sent|connected|transferred|moved)) to(?: the)?(?: server)? ([\w-]{1,64})(?: server)? ?(?:\.{0,3}|…|!)$/i
const NOT_A_SERVER = /^(?:spawn|home|warp|server|world)$/i
// First words of addresses that name the network or nothing; also of those that are numbers.
const NETWORK = /^(?:play|mc|minecraft|join|server|proxy|net|network|www|localhost|eu|us|na|\d+|\[.*)$/i

/**
 * Where the player is from this line on, where the line says so: by the name of the server it connects to, or by a
 * message of the server that it moved the player; `undefined` for every other line. An address of the network alone
 * says that it is not known.
 *
 * @example
 * readWhereabouts('[12:00:01] [Render thread/INFO]: [CHAT] Sending you to Survival...') // { gamemode: 'survival' }
 * readWhereabouts('[12:00:01] [Render thread/INFO]: [CHAT] Sending you to hub') // { elsewhere: 'hub' }
 */
export function readLocation(line: string): PlayerLocation | undefined {
  const [, host] = CONNECTING.exec(line) ?? []
  if (host !== undefined && !line.includes('[CHAT]')) {
    const [name = ''] = host.split('.')
    return NETWORK.test(name) ? {} : locationNamed(name)
  }
  // Most lines are neither; this is cheaper than reading each as chat.
  if (!/ (?:to|on|in|into) /i.test(line)) return undefined
  const text = chatMessageOf(line)?.text ?? ''
  const [, moved = ''] = MOVED.exec(text) ?? []
  const gamemode = matchGamemode(moved)
  if (gamemode) return { gamemode }
  const [, sent] = SENT.exec(text) ?? []
  return sent === undefined || NOT_A_SERVER.test(sent) ? undefined : locationNamed(sent)
}

/** Whether a log that begins with this line is that of a game which was started, and not the next part of a rotated one. */
export function isGameStart(firstLine: string): boolean {
  return !firstLine.includes('[CHAT]') && /\[main\/|\[Datafixer Bootstrap\/|\]: Setting user: /.test(firstLine)
}

function locationNamed(name: string): PlayerLocation {
  const gamemode = matchGamemode(name)
  return gamemode ? { gamemode } : { elsewhere: name }
}

function matchGamemode(word: string): Gamemode | undefined {
  const plain = word.toLowerCase().replace(/[\d_-]+$/, '')
  return GAMEMODES.find((gamemode) => gamemode === plain)
}
