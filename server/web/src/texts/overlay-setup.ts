import type { OverlayOptions, Part } from '../data/overlay-options.ts'
import { catchesTexts } from './catches.ts'

const FROM_OPENING = 'The overlay counts from the moment it opens'

/** The texts of the page that creates the address of an overlay. */
export const overlaySetupTexts = {
  lead: 'Show your catches on your stream as they happen.',
  player: 'Player',
  example: 'Alex',
  paste: 'To change an overlay, paste its address here.',
  invalidName: (rule: string) => `A name must be ${rule}.`,
  ignored: (options: readonly string[]) => `The overlay ignores these options: ${options.join(', ')}.`,
  legends: {
    gamemode: catchesTexts.gamemode,
    catches: 'Catches',
    mode: 'Mode',
    show: 'Show',
    corner: 'Corner',
    size: 'Size',
    theme: 'Theme',
    sound: 'Sound',
  },
  kinds: { both: 'Fish and crabs', ...catchesTexts.kinds },
  modes: { feed: 'Feed', alert: 'Alerts', session: 'Session', goal: 'Goal' } as const satisfies Record<
    OverlayOptions['mode'],
    string
  >,
  modeHints: {
    feed: 'The last catches slide in.',
    alert: 'Each catch appears alone and large for a few seconds. Rare catches stay longer.',
    session: `${FROM_OPENING}.`,
    goal: 'A bar fills up with the catches of the day.',
  } as const satisfies Record<OverlayOptions['mode'], string>,
  parts: { last: 'Last catches', total: 'Totals', rarest: 'Rarest catch' } as const satisfies Record<Part, string>,
  corners: {
    'top-left': 'Top left',
    'top-right': 'Top right',
    'bottom-left': 'Bottom left',
    'bottom-right': 'Bottom right',
  } as const satisfies Record<OverlayOptions['corner'], string>,
  sizes: { small: 'Small', medium: 'Medium', large: 'Large' } as const satisfies Record<OverlayOptions['size'], string>,
  themes: { dark: 'Dark', light: 'Light', plain: 'Text only' } as const satisfies Record<
    OverlayOptions['theme'],
    string
  >,
  chime: 'Play a chime at each catch',
  address: 'Address of your overlay',
  unknown: (name: string) => `No player “${name}” on this server.`,
  copy: 'Copy address',
  nameFirst: 'Enter your player name first.',
  source: (width: number, height: number, corner: string) =>
    `Add it to OBS as a browser source of ${width} × ${height}, and move the source to the ${corner.toLowerCase()} of your scene.`,
  goal: 'Goal',
  rarity: 'Rarity',
  goalOfAll: 'Earlier catches of the UTC day count, in all gamemodes.',
  goalOfSome: `${FROM_OPENING}, until midnight.`,
  preview: 'Preview',
  catchOne: 'Catch something',
  alertsWait: 'Alerts appear only at a catch. Press “Catch something”.',
} as const
