import { readFileSync } from 'node:fs'
import { configPath } from '../config/paths.ts'
import type { Env } from '../core/context.ts'
import type { Candidate, OwnNames } from './completion-data.ts'

// What stands in a line of a script and needs no quotes; all names that profiles and players can have are such.
const PLAIN = /^[\w.*-]{1,64}$/

/**
 * Names from the configuration, read lightly: what is wrong in it is told by commands, not here. No secret is in it.
 */
export function ownNames(env: Env): OwnNames {
  const profiles = profilesIn(env).filter(([name]) => PLAIN.test(name))
  const users = profiles.flatMap(([name, { user }]): readonly Candidate[] =>
    typeof user === 'string' && PLAIN.test(user) ? [{ value: user, description: `of profile ${name}` }] : [],
  )
  return {
    profiles: profiles.map(([value, { url }]) => ({ value, description: printableAddress(url) })),
    users: [...new Map(users.map((user) => [user.value, user])).values()],
  }
}

interface LooseProfile {
  readonly url?: unknown
  readonly user?: unknown
}

function profilesIn(env: Env): readonly (readonly [string, LooseProfile])[] {
  try {
    const { profiles } = JSON.parse(readFileSync(configPath({ env }), 'utf8')) as { profiles?: object }
    return Object.entries(profiles ?? {}).map(([name, profile]) => [name, profile ?? {}] as const)
  } catch {
    return []
  }
}

function printableAddress(url: unknown): string | undefined {
  return typeof url === 'string' && /^https?:\/\/[!-?A-~]+$/.test(url) ? url : undefined
}
