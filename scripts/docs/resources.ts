// The types of `client.fish` and similar resources. The SDK does not export these types, but its users call their
// methods.
export type { CatchesResource, CrabsResource, FishResource } from '../../sdk/src/client/resources/catches.ts'
export type { KeysResource } from '../../sdk/src/client/resources/keys.ts'
export type { GetLeaderboard } from '../../sdk/src/client/resources/leaderboard.ts'
export type { DemoResource, GetStatus } from '../../sdk/src/client/resources/service.ts'
export type { GetSpecies } from '../../sdk/src/client/resources/species.ts'
