import type { RarityLabel } from '@fish-crab/sdk/contract'
import type { Dice } from './random.ts'

/** A range of colours: hue in degrees, saturation and lightness in percent. */
interface Palette {
  readonly hue: readonly [number, number]
  readonly saturation: readonly [number, number]
  readonly lightness: readonly [number, number]
  /** Degrees to add to the hue of fins and patterns. */
  readonly accent: number
}

/** The colours of a rarity. Gold looks like gold on light and dark pages alike. */
export const PALETTES: Readonly<Record<RarityLabel | 'crab', Palette>> = {
  Bronze: { hue: [18, 34], saturation: [42, 58], lightness: [42, 52], accent: -10 },
  Silver: { hue: [200, 222], saturation: [10, 20], lightness: [62, 72], accent: 8 },
  Gold: { hue: [42, 49], saturation: [82, 95], lightness: [52, 58], accent: -16 },
  Diamond: { hue: [180, 196], saturation: [62, 80], lightness: [55, 64], accent: 22 },
  'Unknown/Other': { hue: [90, 160], saturation: [8, 20], lightness: [48, 58], accent: 30 },
  Platinum: { hue: [226, 246], saturation: [55, 75], lightness: [72, 80], accent: 30 },
  Mythical: { hue: [276, 312], saturation: [66, 82], lightness: [54, 62], accent: 62 },
  crab: { hue: [-28, 48], saturation: [62, 84], lightness: [50, 58], accent: 14 },
}

/** The colours of one drawing, such as `#c88a4b`. */
export interface Paints {
  readonly body: string
  readonly back: string
  readonly belly: string
  readonly fin: string
  readonly pattern: string
  readonly shine: string
  readonly ink: string
}

/** Picks the colours of a drawing within a palette. */
export function paintsOf({ hue, saturation, lightness, accent }: Palette, dice: Dice): Paints {
  const h = dice.between(...hue)
  const s = dice.between(...saturation)
  const l = dice.between(...lightness)
  const turned = h + accent * dice.between(0.6, 1.1)
  return {
    body: hex(h, s, l),
    back: hex(h - accent * 0.15, s, l * 0.7),
    belly: hex(h + accent * 0.2, s * 0.9, l + (100 - l) * 0.55),
    fin: hex(turned, s, l * 0.86),
    pattern: hex(turned, s * 0.95, l * 0.55),
    shine: hex(h, s * 0.6, 96),
    ink: hex(h, s * 0.5, 12),
  }
}

/** https://www.w3.org/TR/css-color-4/#hsl-to-rgb */
function hex(hue: number, saturation: number, lightness: number): string {
  const [l, amount] = [lightness / 100, (saturation / 100) * Math.min(lightness / 100, 1 - lightness / 100)]
  const channel = (n: number) => {
    const k = (n + hue / 30 + 12) % 12
    const value = l - amount * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(0)}${channel(8)}${channel(4)}`
}
