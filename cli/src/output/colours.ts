import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { RarityLabel } from '@fish-crab/sdk'
import type { Env, Terminal } from '../terminal.ts'

/** A style of `util.styleText`. */
export type Style = Parameters<typeof styleText>[0]

const RARITY_STYLES: Readonly<Record<RarityLabel, Style>> = {
  Bronze: 'yellow',
  Silver: 'white',
  Gold: 'yellowBright',
  Diamond: 'cyanBright',
  'Unknown/Other': 'gray',
  Platinum: 'whiteBright',
  Mythical: 'magentaBright',
}

/** Whether to colour a stream. `FORCE_COLOR` wins over `NO_COLOR`, as in Node; else terminals have colours. */
export function useColours(env: Env, stream: Pick<Terminal<Writable>, 'isTTY'>): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env
  if (force !== undefined) return force !== '0' && force !== 'false'
  return !no && stream.isTTY === true && term !== 'dumb'
}

/** Text in a style, or as it is. */
export function paint(style: Style, text: string, colours: boolean): string {
  return colours ? styleText(style, text, { validateStream: false }) : text
}

/** The colour of a rarity. */
export function rarityStyle(label: RarityLabel): Style {
  return RARITY_STYLES[label]
}
