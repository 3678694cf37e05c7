/** The kinds of catches. A kind is also the name of the array in responses and payloads. */
export const KINDS = ['fish', 'crab'] as const

/** One of {@link KINDS}. */
export type Kind = (typeof KINDS)[number]

/** The default name of a crab. */
export const DEFAULT_CRAB_NAME = 'crab'
