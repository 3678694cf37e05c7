import { HEADERS, KINDS, type Kind } from '@fish-crab/sdk/contract'
import { expectNothingStored, ONE, queryOf, SHORT, seal, write } from '../context/catches.ts'
import type { World } from '../context/context.ts'
import { expectError } from '../context/expect-answer.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

function refused(
  id: string,
  title: string,
  code: Parameters<typeof expectError>[1],
  attempt: (world: World, kind: Kind) => Promise<Parameters<typeof expectError>[0]>,
): CheckRow {
  return [
    id,
    title,
    async (world) => {
      for (const kind of KINDS) {
        await expectNothingStored(world, async () => void expectError(await attempt(world, kind), code))
      }
    },
  ]
}

const rows: readonly CheckRow[] = [
  [
    'write-without-name',
    'A write without a name and without a personal API key is 400 missing_name, whatever the payload says.',
    async (world) => {
      const { name } = await world.user()
      const body = await seal(world, { user: name, fish: ONE.fish })
      const headers = { 'content-type': 'application/octet-stream', [HEADERS.gamemode]: 'earth' }
      await world.anonymous.ensure(1)
      expectError(await world.anonymous.send('/post/fish', { method: 'POST', headers, body }), 'missing_name')
    },
  ],
  refused(
    'write-unknown-user',
    'A write for a user whom nobody created is 404 user_not_found.',
    'user_not_found',
    (world, kind) => write(world, kind, SHORT[kind], { query: `?name=${world.accounts.newName()}` }),
  ),
  refused(
    'write-without-gamemode',
    'A write that says no gamemode is 400 missing_gamemode.',
    'missing_gamemode',
    (world, kind) => write(world, kind, SHORT[kind], { gamemode: null }),
  ),
  refused(
    'write-invalid-gamemode-header',
    'A write whose header names no gamemode there is, is 400 invalid_gamemode.',
    'invalid_gamemode',
    (world, kind) => write(world, kind, SHORT[kind], { gamemode: 'Earth' }),
  ),
  refused(
    'write-invalid-gamemode-query',
    'A write whose query names no gamemode there is, is 400 invalid_gamemode.',
    'invalid_gamemode',
    async (world, kind) =>
      write(world, kind, SHORT[kind], { gamemode: null, query: await queryOf(world, '&gamemode=moon') }),
  ),
  refused(
    'write-invalid-gamemode-payload',
    'A write whose payload names no gamemode there is, is 400 invalid_gamemode.',
    'invalid_gamemode',
    (world, kind) => write(world, kind, { ...SHORT[kind], gamemode: 'moon' }, { gamemode: null }),
  ),
  refused(
    'write-gamemodes-differ-header-payload',
    'A write whose header and payload name different gamemodes is 400 gamemode_mismatch.',
    'gamemode_mismatch',
    (world, kind) => write(world, kind, { ...SHORT[kind], gamemode: 'factions' }),
  ),
  refused(
    'write-gamemodes-differ-header-query',
    'A write whose header and query name different gamemodes is 400 gamemode_mismatch.',
    'gamemode_mismatch',
    async (world, kind) => write(world, kind, SHORT[kind], { query: await queryOf(world, '&gamemode=survival') }),
  ),
  refused(
    'write-gamemodes-differ-query-payload',
    'A write whose query and payload name different gamemodes is 400 gamemode_mismatch.',
    'gamemode_mismatch',
    async (world, kind) =>
      write(
        world,
        kind,
        { gamemode: 'oneblock', [kind]: ONE[kind] },
        { gamemode: null, query: await queryOf(world, '&gamemode=survival') },
      ),
  ),
  refused(
    'write-gamemodes-differ-in-query',
    'A write whose query says two gamemodes is 400 gamemode_mismatch.',
    'gamemode_mismatch',
    async (world, kind) =>
      write(world, kind, SHORT[kind], { query: await queryOf(world, '&gamemode=earth&gamemode=survival') }),
  ),
  refused(
    'write-users-differ-in-query',
    'A write whose query names two users is 400 user_mismatch.',
    'user_mismatch',
    async (world, kind) =>
      write(world, kind, SHORT[kind], { query: await queryOf(world, `&name=${world.accounts.newName()}`) }),
  ),
  refused(
    'write-users-differ',
    'A write whose payload names another user than the request is 400 user_mismatch.',
    'user_mismatch',
    (world, kind) => write(world, kind, { user: 'Steve', [kind]: ONE[kind] }),
  ),
]

/** Writes that do not say, or say in two ways, for whom and to which gamemode they are. */
export const writesRefusedChecks = checksOf('writes', rows)
