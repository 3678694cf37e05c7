/** Loads the code that most pages never need. */
export const loadOnDemand = () => import('./on-demand.ts')
