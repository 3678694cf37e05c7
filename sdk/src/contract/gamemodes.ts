/** The four gamemodes, case-sensitive. One collection exists per user, kind and gamemode. */
export const GAMEMODES = ['oneblock', 'earth', 'survival', 'factions'] as const

/** One of {@link GAMEMODES}. */
export type Gamemode = (typeof GAMEMODES)[number]

/**
 * Whether a value is one of the four gamemodes, exactly as spelled.
 *
 * @example
 * if (isGamemode(text)) showStatus(`${(await client.fish.list({ gamemode: text })).fish.length} fish`)
 */
export function isGamemode(value: unknown): value is Gamemode {
  return (GAMEMODES as readonly unknown[]).includes(value)
}
