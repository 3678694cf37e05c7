import {
  ApiError,
  type CaughtCrab,
  type CaughtEntry,
  type CaughtFish,
  type ClientOptions,
  type Crab,
  createClient,
  type ErrorCode,
  type Fish,
  type FishInput,
} from '@fish-crab/sdk'
import { expect, expectTypeOf, test } from 'vitest'
import { json, player } from './stubs.ts'

test('the type of ApiError.code suggests the known codes and allows any text', () => {
  const error: unknown = new ApiError('No.', { status: 404, code: 'user_not_found', headers: {} })
  if (!(error instanceof ApiError)) throw error
  expectTypeOf(error.code).toEqualTypeOf<ErrorCode | (string & {})>()
  expectTypeOf<'one_of_a_newer_server'>().toExtend<typeof error.code>()
  expect(error.code).toBe('user_not_found')
})

test('entries with full details always have an ID and a time, and other entries may lack both', async () => {
  const fish = [{ name: 'Salmon', rarity: 'Gold', id: 'record-1', caughtAt: '2026-01-01T00:00:00Z' }]
  const { options } = player(json({ user: 'Alex', fish }), json({ user: 'Alex', fish }))
  const client = createClient(options)
  const [full] = (await client.fish.list({ detail: 'full' })).fish
  expectTypeOf<NonNullable<typeof full>['id']>().toEqualTypeOf<string>()
  expectTypeOf<NonNullable<typeof full>['caughtAt']>().toEqualTypeOf<string>()
  for await (const one of client.fish.iterate({ detail: 'full' })) {
    expectTypeOf(one.id).toEqualTypeOf<string>()
    expect(one.id).toBe('record-1')
  }
  expectTypeOf<Fish['id']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<Crab['id']>().toEqualTypeOf<string | undefined>()
})

test('an unknown rarity does not compile', () => {
  expectTypeOf<7>().toExtend<FishInput['rarity']>()
  expectTypeOf<'gold'>().toExtend<FishInput['rarity']>()
  expectTypeOf<99>().not.toExtend<FishInput['rarity']>()
})

test('any text compiles as a gamemode, and is validated at run time', () => {
  expectTypeOf<string>().toExtend<ClientOptions['gamemode']>()
  const gamemode: string = 'The Nether'
  expect(() => createClient({ gamemode })).toThrow('gamemode: Must be a valid gamemode')
})

test('watching one kind yields entries of that kind, and watching both yields a union that `kind` discriminates', () => {
  const client = createClient()
  expectTypeOf(client.watch({ kind: 'fish' })).toEqualTypeOf<AsyncGenerator<CaughtFish, void, undefined>>()
  expectTypeOf(client.watch({ kind: 'crab' })).toEqualTypeOf<AsyncGenerator<CaughtCrab, void, undefined>>()
  expectTypeOf(client.watch()).toEqualTypeOf<AsyncGenerator<CaughtEntry, void, undefined>>()
  const kind = 'fish' as 'fish' | 'crab' | undefined
  expectTypeOf(client.watch({ kind })).toEqualTypeOf<AsyncGenerator<CaughtEntry, void, undefined>>()
})
