import type { PasswordHasher } from '@fish-crab/server/app'

/** Keeps passwords as they are: a mock holds no real ones, and slow hashes would only slow its tests. */
export const plainPasswords: PasswordHasher = {
  hash: async (password) => password,
  verify: async (password, hash) => password === hash,
}
