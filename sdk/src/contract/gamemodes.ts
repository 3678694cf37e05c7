/**
 * The gamemodes of a service unless its operator names others (`FISH_GAMEMODES`). `/status` lists those of a service. One
 * collection exists per user, kind and gamemode.
 */
export const GAMEMODES = ['oneblock', 'earth', 'survival', 'factions'] as const

/** One of {@link GAMEMODES}, or another one of the service. Case-sensitive. */
export type Gamemode = (typeof GAMEMODES)[number] | (string & {})

/** The form of a gamemode, as a sentence fragment. */
export const GAMEMODE_RULE = '1 to 32 characters of a-z, 0-9, "_" and "-"'

/**
 * Whether a value has the form of a gamemode. Only the service knows which ones it has.
 *
 * @example
 * if (isGamemode(text)) showStatus(`${(await client.fish.list({ gamemode: text })).fish.length} fish`)
 */
export function isGamemode(value: unknown): value is Gamemode {
  return typeof value === 'string' && /^[a-z0-9_-]{1,32}$/.test(value)
}
