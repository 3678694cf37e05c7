import type { Dice } from './random.ts'

/** The colours of one drawing, such as `#c88a4b`. */
export interface Paints {
  readonly body: string
  readonly back: string
  readonly belly: string
  readonly fin: string
  readonly pattern: string
  readonly shine: string
  /** The dark edge that separates a drawing from a light ground. On a dark ground, the body is bright enough. */
  readonly edge: string
  readonly ink: string
}

/** Steps of 30 degrees, so that two species have the same hue or clearly different hues. */
const HUES = [0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330] as const
type Tone = readonly [lightness: number, chroma: number]

/** The tones of bodies. The darkest tone still reads on the deep sea. */
const TONES: readonly [Tone, ...Tone[]] = [
  [0.73, 0.19],
  [0.79, 0.15],
  [0.86, 0.11],
]
/** Degrees from the hue of the body to the hue of the fins and the pattern. */
const TURNS = [-150, -90, -45, 60, 120, 180] as const

/** Picks the colours of a species. Its rarity does not change them. */
export function paintsOf(dice: Dice): Paints {
  const hue = dice.pick(HUES)
  const [lightness, chroma] = dice.pick(TONES)
  const turned = hue + dice.pick(TURNS)
  return {
    body: oklch(lightness, chroma, hue),
    back: oklch(lightness - 0.2, chroma * 0.85, hue),
    belly: oklch(0.94, chroma * 0.35, hue),
    fin: oklch(0.68, 0.17, turned),
    pattern: oklch(0.45, 0.16, turned),
    shine: oklch(0.98, 0.012, hue),
    edge: oklch(0.22, 0.04, hue),
    ink: oklch(0.15, 0.02, hue),
  }
}

/** The look of an outline. */
export function edge({ edge }: Paints) {
  return { stroke: edge, strokeWidth: 1.2 }
}

/**
 * Converts a colour to hexadecimal sRGB. Colours of the same lightness look equally light in OKLCH, which they do not
 * in HSL. A colour that a screen cannot show loses chroma: https://www.w3.org/TR/css-color-4/#ok-lab
 * @param hue in degrees
 */
function oklch(lightness: number, chroma: number, hue: number): string {
  const angle = (hue * Math.PI) / 180
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)]
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const channels = [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]
  if (chroma > 0 && channels.some((value) => value < 0 || value > 1)) {
    return oklch(lightness, Math.max(0, chroma - 0.005), hue)
  }
  const encoded = channels.map((value) => (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055))
  return `#${encoded
    .map((value) =>
      Math.round(value * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}
