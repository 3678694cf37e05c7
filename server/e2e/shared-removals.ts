import { HEADERS, ROUTES, routePath } from '@fish-crab/sdk/contract'
import { expect, test } from 'vitest'
import { administrator, ask, logIn, newClient, postToken, readFish, tokenOf } from './requests.ts'
import type { Shared } from './shared.ts'

/** Tests that no process accepts a user or an administrator that another process has deleted. */
export function describeSharedRemovals({ fleet, chief, everywhere, newUser, names, size }: Shared): void {
  test('a user is unknown to every process as soon as one process has deleted the user, and a new user with the name of the deleted user has no catches', async () => {
    const user = await newUser()
    const [stored, held] = await Promise.all([tokenOf(user, 'stored'), tokenOf(user, 'held back')])
    await everywhere((server) => postToken(server, user, stored))
    const before = await everywhere((server) => readFish(server, user))
    const known = { headers: { 'if-none-match': before[0]?.headers.get('etag') ?? '' } }
    expect(before.map(({ body }) => body.fish.length)).toEqual(Array(size).fill(1))

    const path = routePath('deleteUser', { name: user.name })
    expect((await chief().ask(fleet().at(1), 'DELETE', path)).status).toBe(204)
    const after = await everywhere((server) =>
      Promise.all([
        readFish(server, user),
        readFish(server, user, known),
        postToken(server, user, stored),
        postToken(server, user, held),
        chief().ask(server, 'GET', routePath('showUser', { name: user.name })),
      ]),
    )
    for (const responses of after) expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])

    const basic = { authorization: `Basic ${btoa(`${user.name}:${user.password}`)}` }
    const reading = await ask(fleet().at(0), ROUTES.getUserKey.path, { headers: { ...newClient(), ...basic } })
    expect(reading.status).toBe(401)

    const again = await chief().createUser(fleet().at(0), user.name)
    for (const { status, body } of await everywhere((server) => readFish(server, again, known))) {
      expect([status, body.fish]).toEqual([200, []])
    }
    for (const token of [stored, held]) {
      const refused = await everywhere((server) => postToken(server, { ...again, apiKey: user.apiKey }, token))
      expect(refused.map(({ body }) => body.code)).toEqual(Array(size).fill('invalid_token'))
      for (const { headers } of refused) expect(headers.has(HEADERS.rateLimit)).toBe(true)
    }
  })

  test('nothing remains stored for a user if one process deletes the user while all processes store catches of this user', async () => {
    const [user, bystander] = [await newUser(), await newUser()]
    const writer = { ...user, apiKey: bystander.apiKey }
    const statuses: number[] = []
    let isDeleted = false
    const write = async (index: number) => {
      for (let sent = 0; ; sent += 1) {
        const startedAfter = isDeleted
        const { status } = await postToken(fleet().at(index), writer, await tokenOf(user, `${index} ${sent}`))
        statuses.push(status)
        if (startedAfter) return status
      }
    }
    const writers = Promise.all(Array.from({ length: 4 * size }, (_, index) => write(index)))
    while (statuses.length < 50) await new Promise((resolve) => setTimeout(resolve, 5))
    const path = routePath('deleteUser', { name: user.name })
    const { status } = await chief()
      .ask(fleet().at(1), 'DELETE', path)
      .finally(() => {
        isDeleted = true
      })
    expect(status).toBe(204)
    expect(await writers).toEqual(Array(4 * size).fill(404))
    expect(statuses.filter((status) => status !== 201 && status !== 404)).toEqual([])

    const again = await chief().createUser(fleet().at(0), user.name)
    expect(await names(again)).toEqual(Array(size).fill([]))
  })

  test('a logout or the deletion of an administrator ends the sessions in every process, even if a new administrator gets the name of the deleted administrator', async () => {
    const helper = { username: 'helper', password: 'helper-password' }
    const create = (index: number) =>
      chief().ask(fleet().at(index), 'POST', ROUTES.createAdmin.path, { ...helper, role: 'admin' })
    const mayAsk = async (session: string) => {
      const responses = await everywhere((server) => administrator(session).ask(server, 'GET', ROUTES.adminMe.path))
      return responses.map(({ status }) => status)
    }
    expect((await create(0)).status).toBe(201)
    const { token } = (await logIn(fleet().at(0), helper)).body
    expect(await mayAsk(token)).toEqual(Array(size).fill(200))
    const { token: ended } = (await logIn(fleet().at(1), helper)).body
    expect((await administrator(ended).ask(fleet().at(0), 'POST', ROUTES.adminLogout.path)).status).toBe(204)
    expect(await mayAsk(ended)).toEqual(Array(size).fill(401))
    expect(await mayAsk(token)).toEqual(Array(size).fill(200))

    const path = routePath('deleteAdmin', { username: helper.username })
    expect((await chief().ask(fleet().at(1), 'DELETE', path)).status).toBe(204)
    expect(await mayAsk(token)).toEqual(Array(size).fill(401))
    expect((await create(1)).status).toBe(201)
    expect(await mayAsk(token)).toEqual(Array(size).fill(401))
    expect((await logIn(fleet().at(0), helper)).status).toBe(200)
  })
}
