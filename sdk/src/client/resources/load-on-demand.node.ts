import * as onDemand from './on-demand.ts'

/** Programs load this code at once, so that a call does not wait for it. */
export const loadOnDemand = async () => onDemand
