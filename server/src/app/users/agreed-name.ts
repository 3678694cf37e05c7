import { userNameKey } from '@fish-crab/sdk/contract'
import { Failure } from '../http/failure.ts'

/** The user that the query names, `undefined` when it names none. Fails with `user_mismatch` when it names two. */
export function agreedName(query: URLSearchParams): string | undefined {
  const names = query.getAll('name').filter((name) => name !== '')
  if (new Set(names.map(userNameKey)).size > 1) throw new Failure('user_mismatch')
  return names[0]
}
