import type { Writable } from 'node:stream'
import type { Env, Terminal } from '../core/terminal.ts'
import { type Colours, coloursOf } from './colours.ts'

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
