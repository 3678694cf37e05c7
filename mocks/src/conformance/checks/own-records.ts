import { HEADERS, KINDS, type Kind, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { basic, type OwnUser } from '../context/accounts.ts'
import { encrypt, entriesOf, GAMEMODE, post, SHORT_PAYLOADS } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { check, checksOf } from './check.ts'

const OTHER_GAMEMODE = 'oneblock'

interface Change {
  readonly kind: Kind
  readonly id: string
  /** @default the main user */
  readonly user?: OwnUser
  /** @default those of the user */
  readonly authorization?: string | undefined
  readonly gamemode?: string
}

async function authorizationOf(t: TestContext, { user, ...change }: Change): Promise<Record<string, string>> {
  const { name, password } = user ?? (await t.user())
  const authorization = 'authorization' in change ? change.authorization : basic(name, password)
  return authorization === undefined ? {} : { authorization }
}

async function remove(t: TestContext, change: Change) {
  const { kind, id, gamemode = GAMEMODE } = change
  const headers = await authorizationOf(t, change)
  return t.request(`/user/${kind}/${id}?gamemode=${gamemode}`, { method: 'DELETE', headers })
}

async function move(t: TestContext, change: Change, body: unknown = { gamemode: OTHER_GAMEMODE }) {
  const { kind, id, gamemode = GAMEMODE } = change
  const headers = { ...(await authorizationOf(t, change)), 'content-type': MEDIA_TYPES.json }
  return t.request(`/user/${kind}/${id}/move?gamemode=${gamemode}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
}

/** A record of the main user, and the token that added it. */
async function add(t: TestContext, kind: Kind) {
  const token = await encrypt(t, SHORT_PAYLOADS[kind])
  const response = await post(t, kind, token)
  return { token, id: expect.text(expect.json(response, 201).id, '"id"', response) }
}

async function expectReplayed(t: TestContext, kind: Kind, { id, token }: { id: string; token: string }) {
  const again = await post(t, kind, token)
  expect.same(expect.json(again, 200).id, id, '"id" of the replay', again)
  expect.same(again.headers.get(HEADERS.replayed), 'true', HEADERS.replayed, again)
}

export const ownRecordsChecks = checksOf(
  'writes',
  KINDS.flatMap((kind) => [
    check(`own-removes-${kind}`, `A player removes a record of ${kind}; its token stays used.`, async (t) => {
      const [kept, removed] = [await add(t, kind), await add(t, kind)]
      const change = { kind, id: removed.id }
      expect.error(await remove(t, { ...change, gamemode: OTHER_GAMEMODE }), 'record_not_found')
      expect.error(await remove(t, { ...change, user: await t.newUser() }), 'record_not_found')
      expect.same((await entriesOf(t, kind, removed.id)).length, 1, 'the entries before the removal')
      expect.status(await remove(t, change), 204)
      expect.error(await remove(t, change), 'record_not_found')
      await expectReplayed(t, kind, removed)
      expect.same((await entriesOf(t, kind, removed.id)).length, 0, 'the entries of the removed record')
      expect.same((await entriesOf(t, kind, kept.id)).length, 1, 'the entries of the other record')
    }),
    check(`own-moves-${kind}`, `A player moves a record of ${kind}; id, time and token stay.`, async (t) => {
      const record = await add(t, kind)
      const before = await entriesOf(t, kind, record.id)
      const change = { kind, id: record.id }
      expect.error(await move(t, { ...change, user: await t.newUser() }), 'record_not_found')
      for (let count = 0; count < 2; count += 1) expect.status(await move(t, change), 204)
      expect.same(await entriesOf(t, kind, record.id, OTHER_GAMEMODE), before, 'the entries where it was moved')
      await expectReplayed(t, kind, record)
      expect.same((await entriesOf(t, kind, record.id)).length, 0, 'the entries where it was')
    }),
    check(`own-move-${kind}-refused`, `A move of ${kind} to the same, an unknown or no gamemode is 400.`, async (t) => {
      const { id } = await add(t, kind)
      expect.details(await move(t, { kind, id }, { gamemode: GAMEMODE }), 'invalid_payload')
      expect.details(await move(t, { kind, id }, {}), 'invalid_payload')
      expect.status(await move(t, { kind, id }, { gamemode: 'moon' }), 400)
      expect.same((await entriesOf(t, kind, id)).length, 1, 'the entries of the record')
    }),
    check(
      `own-${kind}-needs-password`,
      `An API key does not remove or move ${kind}, nor an administrator.`,
      async (t) => {
        const { id } = await add(t, kind)
        const { username, password } = await t.superadmin()
        for (const act of [remove, move]) {
          // Every request has an API key, which lifts the limit and nothing else.
          expect.error(await act(t, { kind, id, authorization: undefined }), 'invalid_credentials')
          expect.error(await act(t, { kind, id, authorization: basic(username, password) }), 'forbidden')
        }
        expect.same((await entriesOf(t, kind, id)).length, 1, 'the entries of the record')
      },
    ),
  ]),
)
