import type { Gamemode } from '@fish-crab/sdk/constants'
import { matchGamemode, type PageGamemodes } from './gamemodes.ts'
import type { Kind } from './summary.ts'

/** What an overlay can show, by the words for it. */
export const PARTS = { last: 'Last catches', total: 'Totals', rarest: 'Rarest catch' } as const
/** How an overlay looks, by the words for it. */
export const THEMES = { dark: 'Dark', light: 'Light', plain: 'Text only' } as const

/** One of {@link PARTS}. */
export type Part = keyof typeof PARTS
/** One of {@link THEMES}. */
type Theme = keyof typeof THEMES

/** What the address of an overlay asks for. */
export interface OverlayOptions {
  readonly gamemode: Gamemode
  /** Both without it. */
  readonly kind: Kind | undefined
  readonly parts: readonly Part[]
  readonly theme: Theme
}

const ALL_PARTS = Object.keys(PARTS) as Part[]

/** Of an address that asks for nothing in particular. */
export function defaultOptions([gamemode]: PageGamemodes): OverlayOptions {
  return { gamemode, kind: undefined, parts: ALL_PARTS, theme: DEFAULT_THEME }
}

const DEFAULT_THEME: Theme = 'dark'

/** Reads the query of an overlay. What it does not know is as if it were left out: a stream shows no error. */
export function readOptions(search: string, gamemodes: PageGamemodes): OverlayOptions {
  const query = new URLSearchParams(search)
  const [kind, theme] = [query.get('kind'), query.get('theme')]
  const named = new Set(query.get('show')?.split(','))
  const parts = ALL_PARTS.filter((part) => named.has(part))
  return {
    gamemode: matchGamemode(gamemodes, query.get('gamemode')) ?? gamemodes[0],
    kind: kind === 'fish' || kind === 'crab' ? kind : undefined,
    parts: parts.length > 0 ? parts : ALL_PARTS,
    theme: theme !== null && Object.hasOwn(THEMES, theme) ? (theme as Theme) : DEFAULT_THEME,
  }
}

/** What the query of an overlay asks for in vain, such as `theme=neon`: {@link readOptions} leaves it out. */
export function ignoredOptions(search: string, gamemodes: PageGamemodes): readonly string[] {
  const isKnown: Readonly<Record<string, (value: string) => boolean>> = {
    gamemode: (value) => matchGamemode(gamemodes, value) !== undefined,
    kind: (value) => value === 'fish' || value === 'crab',
    show: (value) => Object.hasOwn(PARTS, value),
    theme: (value) => Object.hasOwn(THEMES, value),
  }
  return [...new URLSearchParams(search)].flatMap(([name, text]) => {
    const values = name === 'show' ? text.split(',') : [text]
    const check = Object.hasOwn(isKnown, name) ? isKnown[name] : undefined
    return values.filter((value) => !check?.(value)).map((value) => `${name}=${value}`)
  })
}

/** The path of an overlay. */
export function overlayPath(name: string, { gamemode, kind, parts, theme }: OverlayOptions): string {
  const query = [`gamemode=${gamemode}`]
  if (kind !== undefined) query.push(`kind=${kind}`)
  if (parts.length < ALL_PARTS.length) query.push(`show=${parts.join(',')}`)
  if (theme !== DEFAULT_THEME) query.push(`theme=${theme}`)
  return `/overlay/${encodeURIComponent(name)}?${query.join('&')}`
}

/** The overlay at an address; `undefined` where the text is none. */
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

/** The name in the path of an overlay, as it stands there. */
export function overlayName(pathname: string): string {
  const encoded = /\/overlay\/([^/]+)/i.exec(pathname)?.[1] ?? ''
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}
