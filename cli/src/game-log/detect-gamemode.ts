import { chatMessageOf } from '@fish-crab/sdk/chat'
import { GAMEMODES, type Gamemode } from '@fish-crab/sdk/constants'

// `Connecting to earth.example.net, 25565`, which the game writes outside of the chat.
const CONNECTING = /\]: Connecting to ([^\s,]{1,253}), \d{1,5}\s*$/
// What servers write when they move a player. Lines of players begin with their names.
const MOVED =
  /^(?:sending|sent|connecting|connected|moving|moved|transferring|transferred|teleporting|teleported|welcome|you(?: are| have been|'ve been|’ve been|'re|’re)(?: now)?(?: sent| connected| moved| transferred| teleported| playing)?)(?: you)? (?:to|on|in|into)(?: the)? (\w+)/i

/**
 * The gamemode that the player is in from this line on, where the line says so: by the name of the server it connects
 * to, or by a message of the server that it moved the player; `undefined` for every other line.
 *
 * @example
 * detectGamemode('[12:00:01] [Render thread/INFO]: [CHAT] Sending you to Survival...') // 'survival'
 */
export function detectGamemode(line: string): Gamemode | undefined {
  const [, host] = CONNECTING.exec(line) ?? []
  if (host !== undefined && !line.includes('[CHAT]')) return gamemodeIn(host.split('.')[0] ?? '')
  // Most lines are neither; this is cheaper than reading each as chat.
  if (!/ (?:to|on|in|into) /i.test(line)) return undefined
  const [, place] = MOVED.exec(chatMessageOf(line)?.text ?? '') ?? []
  return place === undefined ? undefined : gamemodeIn(place)
}

function gamemodeIn(word: string): Gamemode | undefined {
  const plain = word.toLowerCase().replace(/[\d_-]+$/, '')
  return GAMEMODES.find((gamemode) => gamemode === plain)
}
