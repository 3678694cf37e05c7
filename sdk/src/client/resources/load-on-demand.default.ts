import type { OnDemand } from './on-demand.ts'

/** Loads the code that most pages never need. */
export const loadOnDemand = async (): Promise<OnDemand> => (await import('./on-demand.ts')).onDemand
