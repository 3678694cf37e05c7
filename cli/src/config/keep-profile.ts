import { userNameKey } from '@fish-crab/sdk/constants'
import type { ConfigDocument } from './document.ts'
import type { Profile } from './profile.ts'
import { isSameService } from './selection.ts'

/** Who logged in where. */
export type LoggedIn = Pick<Profile, 'url' | 'user' | 'gamemode' | 'admin'>

/** Whether a login into a profile is one of somebody else, or elsewhere, and would put that in the place of what it is. */
export function displaces(profile: Profile | undefined, login: LoggedIn): boolean {
  if (!profile) return false
  return (
    !isSameService(profile.url, login.url) || isOther(profile.user, login.user) || isOther(profile.admin, login.admin)
  )
}

/** A configuration after a login: the profile is what the login says and the current one; what it does not say stays. */
export function keepProfile(config: ConfigDocument, name: string, login: LoggedIn): ConfigDocument {
  const old = config.profiles.get(name)
  const isElsewhere = old !== undefined && !isSameService(old.url, login.url)
  const base = isElsewhere ? { secrets: old.secrets } : old
  const said = Object.fromEntries(Object.entries(login).filter(([, value]) => value !== undefined))
  const profile: Profile = { ...base, ...said, url: login.url }
  return { ...config, current: name, profiles: new Map(config.profiles).set(name, profile) }
}

function isOther(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && userNameKey(one) !== userNameKey(other)
}
