import type { RarityLabel } from '@fish-crab/sdk'
import type { Gamemode } from '@fish-crab/sdk/constants'
import { matchGamemode, type PageGamemodes } from './gamemodes.ts'
import { type Kind, RARITY_ORDER } from './summary.ts'

const MODES = ['feed', 'alert', 'session', 'goal'] as const
/** The parts of a feed. */
export const PARTS = ['last', 'total', 'rarest'] as const
/** The corners from which an overlay can grow. */
const CORNERS = ['top-left', 'top-right', 'bottom-left', 'bottom-right'] as const
const SIZES = ['small', 'medium', 'large'] as const
const THEMES = ['dark', 'light', 'plain'] as const
const SOUNDS = ['off', 'on'] as const

export type Part = (typeof PARTS)[number]

/** The options in the address of an overlay. */
export interface OverlayOptions {
  /** @default all gamemodes */
  readonly gamemode: Gamemode | undefined
  /** @default both kinds */
  readonly kind: Kind | undefined
  readonly mode: (typeof MODES)[number]
  readonly parts: readonly Part[]
  /** The number of catches that the mode `goal` counts to. */
  readonly goal: number
  /** The rarity that the mode `goal` counts. @default all */
  readonly rarity: RarityLabel | undefined
  readonly corner: (typeof CORNERS)[number]
  readonly size: (typeof SIZES)[number]
  readonly theme: (typeof THEMES)[number]
  readonly hasSound: boolean
}

export const MAX_GOAL = 100_000
const DEFAULTS = {
  gamemode: undefined,
  kind: undefined,
  mode: 'feed',
  parts: PARTS,
  goal: 50,
  rarity: undefined,
  corner: 'top-left',
  size: 'medium',
  theme: 'dark',
  hasSound: false,
} as const satisfies OverlayOptions

/** Parsers of the parameters. Each parser returns the value of a text, or `undefined` if the text is invalid. */
const parsersOf = (gamemodes: PageGamemodes) => ({
  gamemode: (text: string) => matchGamemode(gamemodes, text),
  kind: (text: string): Kind | undefined => (text === 'fish' || text === 'crab' ? text : undefined),
  mode: (text: string) => oneOf(MODES, text),
  show: (text: string) => oneOf(PARTS, text),
  goal: (text: string) => (/^[1-9]\d*$/.test(text) && Number(text) <= MAX_GOAL ? Number(text) : undefined),
  rarity: (text: string) => RARITY_ORDER.find((one) => one.toLowerCase() === text.toLowerCase()),
  corner: (text: string) => oneOf(CORNERS, text),
  size: (text: string) => oneOf(SIZES, text),
  theme: (text: string) => oneOf(THEMES, text),
  sound: (text: string) => oneOf(SOUNDS, text),
})

function oneOf<Word extends string>(words: readonly Word[], text: string): Word | undefined {
  return words.find((word) => word === text)
}

/** Reads the query of an overlay. Unknown values are ignored, and {@link ignoredOptions} lists them. */
export function readOptions(search: string, gamemodes: PageGamemodes): OverlayOptions {
  const query = new URLSearchParams(search)
  const parsers = parsersOf(gamemodes)
  const read = <Name extends keyof typeof parsers>(name: Name) =>
    parsers[name](query.get(name) ?? '') as ReturnType<(typeof parsers)[Name]>
  const named = new Set(query.get('show')?.split(','))
  const parts = PARTS.filter((part) => named.has(part))
  return {
    gamemode: read('gamemode'),
    kind: read('kind'),
    mode: read('mode') ?? DEFAULTS.mode,
    parts: parts.length > 0 ? parts : PARTS,
    goal: read('goal') ?? DEFAULTS.goal,
    rarity: read('rarity'),
    corner: read('corner') ?? DEFAULTS.corner,
    size: read('size') ?? DEFAULTS.size,
    theme: read('theme') ?? DEFAULTS.theme,
    hasSound: read('sound') === 'on',
  }
}

/** The unknown parameters and values of the query of an overlay, such as `theme=neon`. */
export function ignoredOptions(search: string, gamemodes: PageGamemodes): readonly string[] {
  const parsers: Readonly<Record<string, (text: string) => unknown>> = parsersOf(gamemodes)
  return [...new URLSearchParams(search)].flatMap(([name, text]) => {
    const values = name === 'show' ? text.split(',') : [text]
    const parse = Object.hasOwn(parsers, name) ? parsers[name] : undefined
    return values.filter((value) => parse?.(value) === undefined).map((value) => `${name}=${value}`)
  })
}

/** The path of an overlay. Its query omits defaults and options that its mode does not use. */
export function overlayPath(name: string, options: OverlayOptions): string {
  const { gamemode, kind, mode, parts, goal, rarity, corner, size, theme, hasSound } = options
  const query: string[] = []
  if (gamemode !== undefined) query.push(`gamemode=${gamemode}`)
  if (kind !== undefined) query.push(`kind=${kind}`)
  if (mode !== DEFAULTS.mode) query.push(`mode=${mode}`)
  if (mode === 'feed' && parts.length < PARTS.length) query.push(`show=${parts.join(',')}`)
  if (mode === 'goal') query.push(`goal=${goal}`)
  if (mode === 'goal' && rarity !== undefined) query.push(`rarity=${encodeURIComponent(rarity)}`)
  if (corner !== DEFAULTS.corner) query.push(`corner=${corner}`)
  if (size !== DEFAULTS.size) query.push(`size=${size}`)
  if (theme !== DEFAULTS.theme) query.push(`theme=${theme}`)
  if (hasSound) query.push('sound=on')
  return `/overlay/${encodeURIComponent(name)}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

const SOURCE_SIZES = { feed: [600, 500], alert: [800, 360], session: [600, 260], goal: [600, 140] } as const
const SCALES = { small: 0.8, medium: 1, large: 1.4 } as const

/** The size of a browser source that has room for an overlay, in pixels. */
export function sourceSize({ mode, size }: Pick<OverlayOptions, 'mode' | 'size'>) {
  const [width, height] = SOURCE_SIZES[mode]
  // Only the width of alerts scales, because alerts use the whole width.
  return { width: mode === 'alert' ? width * SCALES[size] : width, height: Math.round(height * SCALES[size]) }
}

/** Reads an overlay's address. Returns `undefined` if the text is not an overlay's address. */
export function readAddress(text: string, gamemodes: PageGamemodes) {
  if (!/^https?:\/\/[^/]+\/(.*\/)?overlay\/[^/]/i.test(text.trim())) return undefined
  try {
    const { pathname, search } = new URL(text.trim())
    const [options, ignored] = [readOptions(search, gamemodes), ignoredOptions(search, gamemodes)]
    return { name: overlayName(pathname), options, ignored }
  } catch {
    return undefined
  }
}

/** Returns the player's name from the path of an overlay, without checking the name. */
export function overlayName(pathname: string): string {
  const encoded = /\/overlay\/([^/]+)/i.exec(pathname)?.[1] ?? ''
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}
