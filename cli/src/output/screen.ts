import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { RarityLabel } from '@fish-crab/sdk'
import type { Env, Terminal } from '../core/context.ts'

/** What a stream can show. */
export interface Screen {
  readonly isTerminal: boolean
  readonly colours: Colours
  /** Whether more than ASCII can be shown. */
  readonly unicode: boolean
  /** Cells in a line; `undefined` where there is no end to it. */
  readonly width: number | undefined
  /** Lines that are seen at once; `undefined` where nobody looks on. */
  readonly height: number | undefined
}

/** What stdout, stderr or another stream can show, each decided for itself. */
export function screenOf({ env }: { readonly env: Env }, stream: Terminal<Writable>): Screen {
  const isTerminal = stream.isTTY === true
  return {
    isTerminal,
    colours: coloursOf(env, stream),
    unicode: hasUnicode(env),
    width: isTerminal && stream.columns ? stream.columns : undefined,
    height: isTerminal && stream.rows ? stream.rows : undefined,
  }
}

/** Whether the locale has more than ASCII. One that is not set at all is taken as modern. */
function hasUnicode({ LC_ALL, LC_CTYPE, LANG, TERM }: Env): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG
  if (TERM === 'dumb') return false
  return !locale || /utf-?8/i.test(locale)
}

/** A style of `util.styleText`, or a colour of the palette of 256. */
export type Style = Parameters<typeof styleText>[0] | PaletteStyle

interface PaletteStyle {
  /** The number of the colour, 16 to 255; the first 16 are what each terminal makes of them. */
  readonly palette: number
  readonly bold?: boolean
}

/** The colours that a stream shows: none, the 16 that every terminal with colours has, or the palette of 256 too. */
export type Colours = boolean | 256

// The palette has six colours with a contrast of 4.5:1 to both black and white (WCAG 2.2, 1.4.3). None is yellow.
const RARITY_STYLES: Readonly<Record<RarityLabel, Style | undefined>> = {
  Bronze: { palette: 131 },
  Silver: { palette: 243 },
  Gold: { palette: 131, bold: true },
  Diamond: { palette: 29 },
  'Unknown/Other': undefined,
  Platinum: { palette: 63 },
  Mythical: { palette: 163, bold: true },
}

/** Whether to colour a stream. `FORCE_COLOR` wins over `NO_COLOR`, as in Node; else terminals have colours. */
export function useColours(env: Env, stream: Pick<Terminal<Writable>, 'isTTY'>): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env
  if (force !== undefined) return force !== '0' && force !== 'false'
  return !no && stream.isTTY === true && term !== 'dumb'
}

/** Whether a command line has `--no-color`. */
export function hasNoColourFlag(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end === -1 ? argv : argv.slice(0, end)).includes('--no-color')
}

/** Which colours to use on a stream. */
function coloursOf(env: Env, stream: Pick<Terminal<Writable>, 'isTTY'>): Colours {
  return useColours(env, stream) && (hasPalette(env) ? 256 : true)
}

// Every console of Windows that runs this has it.
function hasPalette({ TERM = '', COLORTERM, FORCE_COLOR = '' }: Env): boolean {
  if (/^[23]$/.test(FORCE_COLOR) || COLORTERM || process.platform === 'win32') return true
  return /256|direct|kitty|alacritty|ghostty|foot|wezterm/.test(TERM)
}

/** Text in a style, or as it is. A colour of the palette is left out where there is none. */
export function paint(style: Style, text: string, colours: Colours): string {
  if (!colours) return text
  if (typeof style !== 'object' || !('palette' in style)) return styleText(style, text, { validateStream: false })
  const coloured = colours === 256 ? `\u{1b}[38;5;${style.palette}m${text}\u{1b}[39m` : text
  return style.bold ? paint('bold', coloured, colours) : coloured
}

/** The colour of a rarity; `undefined` for that of the text around it. */
export function rarityStyle(label: RarityLabel): Style | undefined {
  return RARITY_STYLES[label]
}
