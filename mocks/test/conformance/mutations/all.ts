import { adminMutations } from './admin.ts'
import { catchesMutations } from './catches.ts'
import { eventsMutations } from './events.ts'
import { limitsMutations } from './limits.ts'
import type { Mutation } from './mutation.ts'
import { responsesMutations } from './responses.ts'

/** All mutations. */
export const MUTATIONS: readonly Mutation[] = [
  ...responsesMutations,
  ...catchesMutations,
  ...eventsMutations,
  ...limitsMutations,
  ...adminMutations,
]
