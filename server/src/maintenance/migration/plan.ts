import {
  ACCOUNT_LIMITS,
  type AdminRole,
  isUserName,
  USER_NAME_RULE,
  type User,
  userNameKey,
} from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { isBcryptHash } from '../../node/passwords.ts'
import { MaintenanceError } from '../core/maintenance.ts'
import type { Source, SourceAdmin, SourceCollection, SourceUser } from './source.ts'

/** The plan of a migration, including a list of the data that the migration omits. A plan contains no secrets. */
export interface MigrationReport {
  /** Number of players. */
  readonly players: number
  /** Numbers of catches of these players, by gamemode. */
  readonly catches: {
    readonly fish: Readonly<Record<string, number>>
    readonly crab: Readonly<Record<string, number>>
    /** Number of fish whose rarity becomes `Unknown/Other`. */
    readonly unknownRarities: number
  }
  /** Number of administrators. */
  readonly administrators: number
  /**
   * Players whose name changes, because the name is invalid, another player has the name, or `renames` has a new name.
   */
  readonly renamed: readonly {
    readonly id: string
    readonly from: string
    readonly to: string
    readonly reason: 'invalid' | 'taken' | 'chosen'
  }[]
  /** Names of players who get a new secret because the secret in the dump is missing or invalid. */
  readonly newSecrets: { readonly passwords: readonly string[]; readonly fernetKeys: readonly string[] }
  /** Data of the dump that the new store does not contain. */
  readonly leftOut: {
    /**
     * Names of administrators with a duplicate name, or an invalid name, role or password hash. Contains all
     * administrators if none of them would be a superadmin.
     */
    readonly administrators: readonly string[]
    /** Number of catches without a player, by the player name in the names of their collections. */
    readonly orphans: Readonly<Record<string, number>>
    /** Number of catches in gamemodes that the service does not have, by gamemode. */
    readonly gamemodes: Readonly<Record<string, number>>
    /** Number of documents that are not valid catches. */
    readonly invalidCatches: number
    readonly ownerlessApiKeys: number
    /** Names of collections that begin with `fish_` or `crab_` but do not end with a gamemode. */
    readonly collections: readonly string[]
  }
}

export interface PlannedPlayer {
  readonly user: User
  readonly secrets: Pick<SourceUser, 'password' | 'fernetKey' | 'apiKeys'>
}

interface PlannedAdmin extends Pick<SourceAdmin, 'id' | 'username' | 'createdAt' | 'passwordHash'> {
  readonly role: AdminRole
}

export interface MigrationPlan {
  readonly players: readonly PlannedPlayer[]
  readonly admins: readonly PlannedAdmin[]
  /** The id of the owner of each collection that the migration writes, by the name of the collection. */
  readonly owners: ReadonlyMap<string, string>
  readonly report: MigrationReport
}

interface PlanOptions {
  readonly gamemodes: readonly string[]
  /** Chosen names, by the id or the name of the player in the dump. */
  readonly renames: ReadonlyMap<string, string>
}

/** Decides which data the migration writes, renames and omits, before any write. */
export function planMigration(source: Source, options: PlanOptions): MigrationPlan {
  const { gamemodes } = options
  const { players, renamed } = planPlayers(source.users, options.renames)
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
  const admins = planAdmins(source.admins)
  const namesOf = (isMissing: (one: (typeof players)[number]) => boolean) =>
    players.filter(isMissing).map(({ player }) => player.user.name)
  return {
    players: players.map(({ player }) => player),
    admins: admins.planned,
    owners,
    report: {
      players: players.length,
      catches,
      administrators: admins.planned.length,
      renamed,
      newSecrets: {
        passwords: namesOf(({ player }) => player.secrets.password === undefined),
        fernetKeys: namesOf(({ player }) => player.secrets.fernetKey === undefined),
      },
      leftOut: {
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

/** The id of the player who owns the catches of each name. If users share a name, the oldest user owns the catches. */
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

/**
 * Assigns chosen names first, then valid names, then invalid names. Within each of these groups, older users come
 * first.
 */
function planPlayers(users: readonly SourceUser[], renames: ReadonlyMap<string, string>) {
  const taken = new Set<string>()
  const numbers = new Map<string, number>()
  const players: Planned[] = []
  const renamed: MigrationReport['renamed'][number][] = []
  const chosen = ({ id, name }: SourceUser) => renames.get(id) ?? renames.get(name)
  refuseRenames(users, renames, chosen)
  const rank = (user: SourceUser) => (chosen(user) !== undefined ? 0 : isPossible(user.name) ? 1 : 2)
  for (const user of users.toSorted((one, other) => rank(one) - rank(other) || byAge(one, other))) {
    const { id, name: from, createdAt } = user
    const name = chosen(user) ?? from
    const to = isPossible(name) && !taken.has(userNameKey(name)) ? name : freeName(name, taken, numbers)
    taken.add(userNameKey(to))
    players.push({ source: user, player: { user: { id, name: to, createdAt }, secrets: usableSecrets(user) } })
    if (to === from) continue
    renamed.push({ id, from, to, reason: to === chosen(user) ? 'chosen' : isPossible(name) ? 'taken' : 'invalid' })
  }
  return { players, renamed }
}

/** @throws MaintenanceError `invalid_settings` for a name that a player cannot get */
function refuseRenames(
  users: readonly SourceUser[],
  renames: ReadonlyMap<string, string>,
  chosen: (user: SourceUser) => string | undefined,
): void {
  const refusal = (problem: string, hint: string) =>
    new MaintenanceError('invalid_settings', `${problem} Nothing was changed.`, { hint })
  const known = new Set(users.flatMap(({ id, name }) => [id, name]))
  const unknown = [...renames.keys()].filter((name) => !known.has(name))
  if (unknown.length > 0) {
    const problem = `The dump has no player ${unknown.join(', ')} to give another name.`
    throw refusal(problem, 'Give the name or the id as it is in the dump.')
  }
  const owners = new Map(
    users.filter((user) => chosen(user) === undefined).map(({ name, id }) => [userNameKey(name), id]),
  )
  for (const user of users) {
    const name = chosen(user)
    if (name === undefined) continue
    const what = `The new name of ${user.name} (${user.id}), ${name},`
    if (!isPossible(name)) throw refusal(`${what} cannot be used.`, `A name is ${USER_NAME_RULE}.`)
    if ((owners.get(userNameKey(name)) ?? user.id) !== user.id) {
      const hint = 'Choose another one. Of players who share a name, give the ids.'
      throw refusal(`${what} belongs to somebody else.`, hint)
    }
    owners.set(userNameKey(name), user.id)
  }
}

/** The names `.` and `..` are not allowed, because URLs would resolve them. */
const isPossible = (name: string) => isUserName(name) && name !== '.' && name !== '..'

const MAX_NAME = 32

/**
 * Returns a free name that is similar to the given name. @param numbers the next suffix of each name, because thousands
 * of users may have the same name
 */
function freeName(name: string, taken: ReadonlySet<string>, numbers: Map<string, number>): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_.*-]+/g, '_')
    .replace(/^[-_.]+|(?<![-_.])[-_.]+$/g, '')
    .slice(0, MAX_NAME)
  const base = plain === '' ? 'player' : plain
  for (let number = numbers.get(base) ?? 1; ; number += 1) {
    numbers.set(base, number + 1)
    const suffix = number === 1 ? '' : `_${number}`
    const candidate = base.slice(0, MAX_NAME - suffix.length) + suffix
    if (!taken.has(userNameKey(candidate))) return candidate
  }
}

function usableSecrets({ password, fernetKey, apiKeys }: SourceUser): PlannedPlayer['secrets'] {
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

function planAdmins(admins: readonly SourceAdmin[]) {
  const taken = new Set<string>()
  const planned: PlannedAdmin[] = []
  const left: string[] = []
  for (const { role, ...admin } of admins) {
    const { username, passwordHash } = admin
    const canBeKept = isPossible(username) && ROLES.includes(role) && isBcryptHash(passwordHash)
    if (!canBeKept || taken.has(userNameKey(username))) left.push(username)
    else {
      taken.add(userNameKey(username))
      planned.push({ ...admin, role: role as AdminRole })
    }
  }
  // Without a superadmin, omit all administrators, so that the server creates a superadmin when it starts.
  if (planned.some(({ role }) => role === 'superadmin')) return { planned, left }
  return { planned: [], left: [...left, ...planned.map(({ username }) => username)] }
}
