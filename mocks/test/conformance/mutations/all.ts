import { adminMutations } from './admin.ts'
import { answersMutations } from './answers.ts'
import { catchesMutations } from './catches.ts'
import { limitsMutations } from './limits.ts'
import type { Mutation } from './mutation.ts'

/** All mutations. */
export const MUTATIONS: readonly Mutation[] = [
  ...answersMutations,
  ...catchesMutations,
  ...limitsMutations,
  ...adminMutations,
]
