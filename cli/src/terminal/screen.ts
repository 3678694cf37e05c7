import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { RarityLabel } from '@fish-crab/sdk'
import type { Env, Tty } from '../core/system.ts'

export interface Screen {
  readonly isTerminal: boolean
  readonly colours: Colours
  readonly unicode: boolean
  /** The width in cells, or `undefined` if the width is unlimited. */
  readonly width: number | undefined
  readonly height: number | undefined
}

export function screenOf({ env }: { readonly env: Env }, stream: Tty<Writable>): Screen {
  const isTerminal = stream.isTTY === true
  return {
    isTerminal,
    colours: useColours(env, stream) && (hasPalette(env) ? 256 : true),
    unicode: hasUnicode(env),
    width: isTerminal && stream.columns ? stream.columns : undefined,
    height: isTerminal && stream.rows ? stream.rows : undefined,
  }
}

// An unset locale counts as UTF-8.
function hasUnicode({ LC_ALL, LC_CTYPE, LANG, TERM }: Env): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG
  if (TERM === 'dumb') return false
  return !locale || /utf-?8/i.test(locale)
}

/** `palette` is a colour from 16 to 255 of the 256 colours, because terminals redefine the first 16. */
export type Style = Parameters<typeof styleText>[0] | { readonly palette: number; readonly bold?: boolean }

/** No colours, the 16 basic colours, or the palette of 256 colours. */
export type Colours = boolean | 256

/** Colours with a contrast of 4.5:1 to both black and white (WCAG 2.2, 1.4.3). Yellow cannot have this contrast. */
export const RARITY_STYLES: Readonly<Record<RarityLabel, Style | undefined>> = {
  Bronze: { palette: 131 },
  Silver: { palette: 243 },
  Gold: { palette: 131, bold: true },
  Diamond: { palette: 29 },
  'Unknown/Other': undefined,
  Platinum: { palette: 63 },
  Mythical: { palette: 163, bold: true },
}

/** `NO_COLOR` (https://no-color.org) overrides `FORCE_COLOR`, which overrides the detection of a terminal. */
export function useColours(env: Env, stream: Pick<Tty<Writable>, 'isTTY'>): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env
  if (no) return false
  if (force !== undefined) return force !== '0' && force !== 'false'
  return stream.isTTY === true && term !== 'dumb'
}

// All supported Windows consoles have 256 colours.
function hasPalette({ TERM = '', COLORTERM, FORCE_COLOR = '' }: Env): boolean {
  if (/^[23]$/.test(FORCE_COLOR) || COLORTERM || process.platform === 'win32') return true
  return /256|direct|kitty|alacritty|ghostty|foot|wezterm/.test(TERM)
}

export function paint(style: Style, text: string, colours: Colours): string {
  if (!colours) return text
  if (typeof style !== 'object' || !('palette' in style)) return styleText(style, text, { validateStream: false })
  const coloured = colours === 256 ? `\u{1b}[38;5;${style.palette}m${text}\u{1b}[39m` : text
  return style.bold ? paint('bold', coloured, colours) : coloured
}
