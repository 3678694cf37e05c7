import { type OnDemand, onDemand } from './on-demand.ts'

/** Returns code that is already loaded: in Node, its size does not matter. */
export const loadOnDemand = async (): Promise<OnDemand> => onDemand
