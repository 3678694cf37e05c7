import { ADMIN_ROLES, GAMEMODES, isUserName, KINDS, USER_NAME_RULE } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import type { Seed, SeedUser } from './seed.ts'

/**
 * Refuses what nothing would refuse when it is planted, and what would then be missing, or fail, far from its cause.
 * @throws Error that names the user or administrator, and no secret
 */
export function checkSeed({ users = [], admins = [] }: Seed): void {
  const owners = new Map<string, string>()
  for (const user of users) {
    checkUser(user)
    const { name, apiKey } = user
    if (apiKey === undefined) continue
    const other = owners.get(apiKey)
    if (other !== undefined) throw new Error(`The seed's users "${other}" and "${name}" have the same API key.`)
    owners.set(apiKey, name)
  }
  for (const { username, role = 'admin' } of admins) {
    if (ADMIN_ROLES.includes(role)) continue
    throw new Error(`The role of the seed's administrator "${username}" must be one of ${ADMIN_ROLES.join(', ')}.`)
  }
}

function checkUser(user: SeedUser): void {
  const { name, fernetKey } = user
  if (!isUserName(name)) throw new Error(`The seed's user "${name}" must be ${USER_NAME_RULE}.`)
  if (fernetKey !== undefined && !isFernetKey(fernetKey)) {
    throw new Error(`The Fernet key of the seed's user "${name}" must be 32 bytes in base64.`)
  }
  for (const kind of KINDS) {
    for (const gamemode of Object.keys(user[kind] ?? {})) {
      if ((GAMEMODES as readonly string[]).includes(gamemode)) continue
      throw new Error(`The seed's ${kind} of ${name} are in "${gamemode}", which is none of ${GAMEMODES.join(', ')}.`)
    }
  }
}

/** Whether a text is a key that tokens can be made with. */
export function isFernetKey(key: string): boolean {
  try {
    createFernet(key)
    return true
  } catch {
    return false
  }
}
