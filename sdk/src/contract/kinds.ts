/** What can be caught. The kind is also the name of the array in answers and payloads. */
export const KINDS = ['fish', 'crab'] as const

/** One of {@link KINDS}. */
export type Kind = (typeof KINDS)[number]

/** The name of a crab that was caught without one. */
export const DEFAULT_CRAB_NAME = 'crab'
