import type { CreatedUser } from '@fish-crab/sdk/contract'
import { afterAll, beforeAll } from 'vitest'
import { type Backend, type Fleet, startFleet } from './fleet.ts'
import { type Administrator, administrator, logIn, readFish, type Target } from './requests.ts'

/** A fleet that the tests of one group share, with helpers. */
export interface Shared {
  /** The number of processes in the fleet. */
  readonly size: number
  readonly fleet: () => Fleet
  readonly chief: () => Administrator
  /** Calls a function for all processes concurrently. */
  everywhere<Result>(act: (server: Target) => Promise<Result>): Promise<Result[]>
  /** Creates a user through the next process in turn. */
  newUser(): Promise<CreatedUser>
  /** Returns the names of a user's fish, as read from each process. */
  names(user: CreatedUser): Promise<string[][]>
}

/** Starts a fleet before the tests of the current group, and stops the fleet after the tests. */
export function shareFleet(
  startBackend: () => Promise<Backend>,
  size: number,
  env: Readonly<Record<string, string>> = {},
): Shared {
  let backend: Backend | undefined
  let fleet: Fleet | undefined
  let chief: Administrator | undefined
  let users = 0
  beforeAll(async () => {
    backend = await startBackend()
    fleet = await startFleet(backend.address, size, env)
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
