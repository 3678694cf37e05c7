import type { World } from './context.ts'
import { expectJson, expectMoment } from './expect-answer.ts'
import { expectSame, expectThat } from './expectation.ts'

/** What the audit log says of one event. */
export interface Entry {
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly subject?: string
  readonly address: string
  readonly requestId: string
}

const PAGE = 100
const MOST_PAGES = 10

/** A page of the audit log. */
export async function auditPage(world: World, query: string) {
  const answer = await world.asSuperadmin('audit', { query })
  const { entries, nextCursor } = expectJson(answer)
  expectThat(Array.isArray(entries), 'an array under "entries"', typeof entries, answer)
  return { answer, entries: entries as Entry[], nextCursor }
}

/** What was recorded lately, newest first, until `isEnough`. Entries of others are not told. */
export async function recorded(
  world: World,
  isOwn: (entry: Entry) => boolean,
  isEnough: (own: readonly Entry[]) => boolean,
): Promise<Entry[]> {
  const own: Entry[] = []
  let cursor = ''
  for (let pages = 0; pages < MOST_PAGES && !isEnough(own); pages += 1) {
    const { entries, nextCursor } = await auditPage(world, `?limit=${PAGE}${cursor}`)
    own.push(...entries.filter(isOwn))
    if (nextCursor === undefined) break
    cursor = `&cursor=${encodeURIComponent(String(nextCursor))}`
  }
  return own
}

/** Fails unless each of these actions on a subject is on record, with who did it, when and from where. */
export async function expectRecorded(
  world: World,
  subject: string,
  actor: string,
  ...actions: string[]
): Promise<readonly Entry[]> {
  const find = (own: readonly Entry[], action: string) => own.find((entry) => entry.action === action)
  const own = await recorded(
    world,
    (entry) => entry.subject === subject,
    (found) => actions.every((action) => find(found, action)),
  )
  for (const action of actions) {
    const entry = find(own, action)
    const seen = own.map((one) => one.action)
    expectThat(entry !== undefined, `"${action}" in the audit log`, seen)
    expectSame(entry.actor, actor, `the actor of "${action}"`)
    expectMoment(entry.at, '"at"')
    expectThat(typeof entry.address === 'string' && entry.address !== '', 'an "address"', typeof entry.address)
  }
  return own
}
