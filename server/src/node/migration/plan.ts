import {
  ACCOUNT_LIMITS,
  type AdminRole,
  isUserName,
  USER_NAME_RULE,
  type User,
  userNameKey,
} from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { MaintenanceError } from '../maintenance/maintenance.ts'
import { isBcryptHash } from '../passwords.ts'
import type { Source, SourceAdmin, SourceCollection, SourceUser } from './source.ts'

/** What a migration would do and what it leaves out. Without secrets. */
export interface MigrationReport {
  readonly players: {
    readonly new: number
    /** Those whose name exists already, and whose catches are added. */
    readonly merged: number
    /** Those whom an earlier run has created. What is missing is added. */
    readonly resumed: number
  }
  /** Of these players. */
  readonly catches: {
    readonly fish: Readonly<Record<string, number>>
    readonly crab: Readonly<Record<string, number>>
    /** Fish that become `Unknown/Other`. */
    readonly unknownRarities: number
  }
  readonly administrators: { readonly new: number }
  /** Players who get another name: their own cannot be kept, or belongs to somebody else. */
  readonly renamed: readonly {
    readonly id: string
    readonly from: string
    readonly to: string
    readonly reason: 'invalid' | 'taken' | 'decided'
  }[]
  /** Names of players who get a new secret, since theirs is missing or cannot be used. */
  readonly newSecrets: { readonly passwords: readonly string[]; readonly fernetKeys: readonly string[] }
  readonly leftOut: {
    /** Names of players who exist already. They stay as they are. */
    readonly existingPlayers: readonly string[]
    /** Names of players who were created by an earlier run, and deleted since. */
    readonly deletedPlayers: readonly string[]
    /** Names of administrators who exist already, have a name, role or password that cannot be kept, or lack a superadmin. */
    readonly administrators: readonly string[]
    /** Catches of nobody, by the name in their collections. */
    readonly orphans: Readonly<Record<string, number>>
    /** Catches in gamemodes that the service does not have. */
    readonly gamemodes: Readonly<Record<string, number>>
    /** Documents that are no catch. */
    readonly invalidCatches: number
    readonly ownerlessApiKeys: number
    /** Names of collections like those of catches, but without a gamemode. */
    readonly collections: readonly string[]
  }
}

/** A player to write. */
export interface PlannedPlayer {
  readonly user: User
  /** Whether the player exists already, by an earlier run. */
  readonly isResumed?: true
  /** Absent for one who exists already. */
  readonly secrets?: Pick<SourceUser, 'password' | 'fernetKey' | 'apiKeys'>
}

interface PlannedAdmin extends Pick<SourceAdmin, 'id' | 'username' | 'createdAt' | 'passwordHash'> {
  readonly role: AdminRole
}

export interface MigrationPlan {
  readonly players: readonly PlannedPlayer[]
  readonly admins: readonly PlannedAdmin[]
  /** The owner of each collection of catches that is written, by its name. */
  readonly owners: ReadonlyMap<string, string>
  readonly report: MigrationReport
}

interface PlanOptions {
  /** Users of the storage, by {@link userNameKey}. */
  readonly existing: ReadonlyMap<string, User>
  /** Ids of users who were deleted. */
  readonly deleted: ReadonlySet<string>
  /** Ids of users whose secrets an earlier run has written. */
  readonly begun: ReadonlySet<string>
  readonly existingAdmins: readonly { readonly id: string; readonly username: string; readonly role: AdminRole }[]
  readonly gamemodes: readonly string[]
  /** Names that somebody decided on, by the id or the name in the dump. */
  readonly renames: ReadonlyMap<string, string>
  readonly isMerging: boolean
}

/** Decides everything before anything is written. */
export function planMigration(source: Source, options: PlanOptions): MigrationPlan {
  const { gamemodes } = options
  const { players, renamed, left, deleted } = planPlayers(source.users, options)
  const ownerOf = ownersByName(source.users, players)
  const known = new Set(source.users.map(({ name }) => name))
  const owners = new Map<string, string>()
  const catches = { fish: zeroOf(gamemodes), crab: zeroOf(gamemodes), unknownRarities: 0 }
  const [orphans, unknownGamemodes] = [new Map<string, number>(), new Map<string, number>()]
  let invalidCatches = 0
  for (const [name, collection] of source.collections) {
    const owner = ownerOf.get(collection.player)
    if (!known.has(collection.player)) add(orphans, collection.player, collection)
    else if (owner === undefined) continue
    else if (!gamemodes.includes(collection.gamemode)) add(unknownGamemodes, collection.gamemode, collection)
    else {
      owners.set(name, owner)
      const counts = catches[collection.kind]
      counts[collection.gamemode] = (counts[collection.gamemode] ?? 0) + collection.catches
      catches.unknownRarities += collection.unknownRarities
      invalidCatches += collection.invalid
    }
  }
  const admins = planAdmins(source.admins, options)
  const resumed = players.filter(({ player }) => player.isResumed).length
  const added = players.filter(({ player }) => player.secrets !== undefined)
  const namesOf = (isMissing: (one: (typeof players)[number]) => boolean) =>
    added.filter(isMissing).map(({ player }) => player.user.name)
  return {
    players: players.map(({ player }) => player),
    admins: admins.planned,
    owners,
    report: {
      players: {
        new: added.length,
        merged: players.length - added.length - resumed,
        resumed,
      },
      catches,
      administrators: { new: admins.planned.length },
      renamed,
      newSecrets: {
        passwords: namesOf(({ player }) => player.secrets?.password === undefined),
        fernetKeys: namesOf(({ player }) => player.secrets?.fernetKey === undefined),
      },
      leftOut: {
        existingPlayers: left,
        deletedPlayers: deleted,
        administrators: admins.left,
        orphans: Object.fromEntries(orphans),
        gamemodes: Object.fromEntries(unknownGamemodes),
        invalidCatches,
        ownerlessApiKeys: source.ownerlessApiKeys,
        collections: source.unknownCollections,
      },
    },
  }
}

interface Planned {
  readonly source: SourceUser
  readonly player: PlannedPlayer
}

/** Who has the catches of a name. Of several users, it is the oldest: if that one is left out, so are the catches. */
function ownersByName(users: readonly SourceUser[], players: readonly Planned[]): ReadonlyMap<string, string> {
  const oldest = new Map(
    users
      .toSorted(byAge)
      .toReversed()
      .map((user) => [user.name, user]),
  )
  const owners = players.filter(({ source }) => oldest.get(source.name) === source)
  return new Map(owners.map(({ source, player }) => [source.name, player.user.id]))
}

const byAge = (one: SourceUser, other: SourceUser) => Date.parse(one.createdAt) - Date.parse(other.createdAt)

const zeroOf = (gamemodes: readonly string[]): Record<string, number> =>
  Object.fromEntries(gamemodes.map((gamemode) => [gamemode, 0]))

function add(counts: Map<string, number>, name: string, { catches, invalid }: SourceCollection): void {
  counts.set(name, (counts.get(name) ?? 0) + catches + invalid)
}

/** Those whose name was decided on come first, then those who can keep theirs, the oldest first. */
function planPlayers(users: readonly SourceUser[], { existing, deleted, begun, renames, isMerging }: PlanOptions) {
  const ids = new Set(users.map(({ id }) => id))
  const existingById = new Map([...existing.values()].map((user) => [user.id, user]))
  const taken = new Set(existing.keys())
  /** A second user of such a name is somebody else. */
  const claimed = new Set<string>()
  const names = new Set(users.map(({ name }) => name))
  const numbers = new Map<string, number>()
  const plan = {
    players: [] as Planned[],
    renamed: [] as MigrationReport['renamed'][number][],
    left: [] as string[],
    deleted: [] as string[],
  }
  const decided = ({ id, name }: SourceUser) => renames.get(id) ?? renames.get(name)
  refuseDecisions(users, { existing, existingById, renames, decided })
  const rank = (user: SourceUser) => (decided(user) !== undefined ? 0 : isPossible(user.name) ? 1 : 2)
  const inOrder = users.toSorted((one, other) => rank(one) - rank(other) || byAge(one, other))
  for (const user of inOrder) {
    const { id, name: from, createdAt } = user
    const wish = decided(user) ?? from
    const secrets = usableSecrets(user)
    const resumed = existingById.get(id)
    const alike = claimed.has(userNameKey(wish)) ? undefined : existing.get(userNameKey(wish))
    // One whose name is the same in letter case, too, is more likely the same player.
    const there = alike && (alike.name === wish || !names.has(alike.name)) ? alike : undefined
    if (resumed) plan.players.push({ source: user, player: { user: resumed, isResumed: true } })
    else if (deleted.has(id)) plan.deleted.push(from)
    else if (there && !ids.has(there.id) && !begun.has(id)) {
      claimed.add(userNameKey(wish))
      if (isMerging) plan.players.push({ source: user, player: { user: there } })
      else plan.left.push(there.name)
    } else {
      const to = isPossible(wish) && !taken.has(userNameKey(wish)) ? wish : freeName(wish, taken, numbers)
      taken.add(userNameKey(to))
      plan.players.push({ source: user, player: { user: { id, name: to, createdAt }, secrets } })
      if (to === from) continue
      const reason = to === decided(user) ? 'decided' : isPossible(wish) ? 'taken' : 'invalid'
      plan.renamed.push({ id, from, to, reason })
    }
  }
  return plan
}

interface Decisions extends Pick<PlanOptions, 'existing' | 'renames'> {
  readonly existingById: ReadonlyMap<string, User>
  readonly decided: (user: SourceUser) => string | undefined
}

/** @throws MaintenanceError `invalid_settings` for a decision that cannot be followed */
function refuseDecisions(users: readonly SourceUser[], { existing, existingById, renames, decided }: Decisions): void {
  const refusal = (problem: string, hint: string) =>
    new MaintenanceError('invalid_settings', `${problem} Nothing was changed.`, { hint })
  const known = new Set(users.flatMap(({ id, name }) => [id, name]))
  const unknown = [...renames.keys()].filter((name) => !known.has(name))
  if (unknown.length > 0) {
    const problem = `The dump has no player ${unknown.join(', ')} to give another name.`
    throw refusal(problem, 'Give the name or the id as it is in the dump.')
  }
  const ids = new Set(users.map(({ id }) => id))
  const migrated = [...existing].filter(([, { id }]) => ids.has(id)).map(([key, { id }]) => [key, id] as const)
  const kept = users
    .filter((user) => decided(user) === undefined)
    .map(({ name, id }) => [userNameKey(name), id] as const)
  const owners = new Map([...kept, ...migrated])
  for (const user of users) {
    const [{ id, name }, wish] = [user, decided(user)]
    if (wish === undefined) continue
    const [key, added] = [userNameKey(wish), existingById.get(id)]
    if (added && userNameKey(added.name) !== key) {
      throw refusal(`An earlier run has added ${name} (${id}) as ${added.name}.`, 'Leave that player out of --rename.')
    }
    const what = `The new name of ${name} (${id}), ${wish},`
    if (!isPossible(wish)) throw refusal(`${what} cannot be used.`, `A name is ${USER_NAME_RULE}.`)
    if ((owners.get(key) ?? id) !== id) {
      const hint = 'Choose another one. Of players who share a name, give the ids.'
      throw refusal(`${what} belongs to somebody else.`, hint)
    }
    owners.set(key, id)
  }
}

/** Neither can stand in an address. */
const isPossible = (name: string) => isUserName(name) && name !== '.' && name !== '..'

const MAX_NAME = 32

/** A name like another one that is free. @param numbers the next one of each name: thousands may become the same */
function freeName(name: string, taken: ReadonlySet<string>, numbers: Map<string, number>): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_.*-]+/g, '_')
    .replace(/^[-_.]+|[-_.]+$/g, '')
    .slice(0, MAX_NAME)
  const base = plain === '' ? 'player' : plain
  for (let number = numbers.get(base) ?? 1; ; number += 1) {
    numbers.set(base, number + 1)
    const suffix = number === 1 ? '' : `_${number}`
    const candidate = base.slice(0, MAX_NAME - suffix.length) + suffix
    if (!taken.has(userNameKey(candidate))) return candidate
  }
}

function usableSecrets({ password, fernetKey, apiKeys }: SourceUser): NonNullable<PlannedPlayer['secrets']> {
  const isPassword =
    password !== undefined && password.length <= ACCOUNT_LIMITS.passwordLength && password.isWellFormed()
  return {
    password: isPassword ? password : undefined,
    fernetKey: fernetKey !== undefined && isFernetKey(fernetKey) ? fernetKey : undefined,
    apiKeys,
  }
}

function isFernetKey(text: string): boolean {
  try {
    createFernet(text)
    return true
  } catch {
    return false
  }
}

const ROLES: readonly string[] = ['admin', 'superadmin'] satisfies readonly AdminRole[]

function planAdmins(admins: readonly SourceAdmin[], { existingAdmins }: PlanOptions) {
  const taken = new Set(existingAdmins.map(({ username }) => userNameKey(username)))
  const planned: PlannedAdmin[] = []
  const left: string[] = []
  for (const { role, ...admin } of admins) {
    const { username, passwordHash } = admin
    const canBeKept = isPossible(username) && ROLES.includes(role) && isBcryptHash(passwordHash)
    // A run before this one created the administrator.
    if (existingAdmins.some(({ id }) => id === admin.id)) continue
    if (!canBeKept || taken.has(userNameKey(username))) left.push(username)
    else {
      taken.add(userNameKey(username))
      planned.push({ ...admin, role: role as AdminRole })
    }
  }
  // Without one, nobody could create another.
  if ([...existingAdmins, ...planned].some(({ role }) => role === 'superadmin')) return { planned, left }
  return { planned: [], left: [...left, ...planned.map(({ username }) => username)] }
}
