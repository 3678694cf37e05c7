/**
 * The default gamemodes of a service. The operator of a service can set other gamemodes (`FISH_GAMEMODES`), which
 * `/status` then lists. A user has one collection per kind and gamemode.
 */
export const GAMEMODES = ['oneblock', 'earth', 'survival', 'factions'] as const

/** One of {@link GAMEMODES}, or another gamemode of the service. Case-sensitive. */
export type Gamemode = (typeof GAMEMODES)[number] | (string & {})

/** The format of a gamemode, as a phrase for messages. */
export const GAMEMODE_RULE = '1 to 32 characters of a-z, 0-9, "_" and "-"'

/**
 * Whether a value has the format of a gamemode. A gamemode in this format does not necessarily exist in the service.
 *
 * @example
 * if (isGamemode(text)) showStatus(`${(await client.fish.list({ gamemode: text })).fish.length} fish`)
 */
export function isGamemode(value: unknown): value is Gamemode {
  return typeof value === 'string' && /^[a-z0-9_-]{1,32}$/.test(value)
}
