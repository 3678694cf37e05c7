/**
 * The seven rarities, from the most common to the rarest: the number used in write payloads, the label used in
 * responses, and the first word of a catch message in the game's chat (`null` if the rarity has no such word).
 */
export const RARITIES = [
  { value: 5, label: 'Unknown/Other', catchWord: null },
  { value: 1, label: 'Bronze', catchWord: 'GOOD' },
  { value: 2, label: 'Silver', catchWord: 'NICE' },
  { value: 3, label: 'Gold', catchWord: 'GREAT' },
  { value: 4, label: 'Diamond', catchWord: 'EPIC' },
  { value: 6, label: 'Platinum', catchWord: 'LEGENDARY' },
  { value: 7, label: 'Mythical', catchWord: 'INSANE' },
] as const

/** A rarity as a number, 1 to 7. */
export type RarityValue = (typeof RARITIES)[number]['value']

/** A rarity as the label that the read endpoints return. */
export type RarityLabel = (typeof RARITIES)[number]['label']

/** All labels, from the most common rarity to the rarest. */
export const RARITY_LABELS = /* @__PURE__ */ RARITIES.map((rarity) => rarity.label) as readonly RarityLabel[]

/** The label of a rarity number. @example rarityLabel(3) // 'Gold' */
export function rarityLabel(value: RarityValue): RarityLabel {
  return (RARITIES.find((rarity) => rarity.value === value) as (typeof RARITIES)[number]).label
}

/**
 * Converts the number or the label of a rarity to its number. Returns `undefined` for an unknown rarity. Letter case is
 * ignored, and one word of `Unknown/Other` is enough.
 * @example rarityValue('gold') // 3
 * @example rarityValue(9) // undefined
 */
export function rarityValue(rarity: number | string): RarityValue | undefined {
  const wanted = typeof rarity === 'string' ? rarity.toLowerCase() : rarity
  return RARITIES.find(({ value, label }) => {
    const text = label.toLowerCase()
    const forms: readonly (number | string)[] = [value, text, ...text.split('/')]
    return forms.includes(wanted)
  })?.value
}
