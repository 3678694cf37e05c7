import type { CreatedUser } from '@fish-crab/sdk/contract'
import { afterAll, beforeAll } from 'vitest'
import { type Backend, type Fleet, startFleet } from './fleet.ts'
import { type Administrator, administrator, logIn, readFish, type Target } from './requests.ts'

/** A fleet for the tests of one group, with common helpers. */
export interface Shared {
  /** The number of processes. */
  readonly size: number
  readonly fleet: () => Fleet
  readonly chief: () => Administrator
  /** Does the same in all processes concurrently. */
  everywhere<Result>(act: (server: Target) => Promise<Result>): Promise<Result[]>
  /** Creates a user, each time in the next process. */
  newUser(): Promise<CreatedUser>
  /** The names of a user's fish in each process. */
  names(user: CreatedUser): Promise<string[][]>
}

/** Starts a fleet before the tests of the group that calls it, and ends it after them. */
export function shareFleet(startBackend: () => Promise<Backend>, size: number): Shared {
  let backend: Backend | undefined
  let fleet: Fleet | undefined
  let chief: Administrator | undefined
  let users = 0
  beforeAll(async () => {
    backend = await startBackend()
    fleet = await startFleet(backend.address, size)
    chief = administrator((await logIn(fleet.at(0))).body.token)
  })
  afterAll(async () => {
    await fleet?.stop()
    await backend?.stop()
  })
  const started = <Part>(part: Part | undefined): Part => {
    if (!part) throw new Error('The fleet has not been started.')
    return part
  }
  const everywhere = <Result>(act: (server: Target) => Promise<Result>) => Promise.all(started(fleet).servers.map(act))
  return {
    size,
    fleet: () => started(fleet),
    chief: () => started(chief),
    everywhere,
    newUser() {
      users += 1
      return started(chief).createUser(started(fleet).at(users), `User${users}`)
    },
    names: (user) => everywhere(async (server) => (await readFish(server, user)).body.fish.map(({ name }) => name)),
  }
}
