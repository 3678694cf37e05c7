import { GAMEMODES, type Gamemode, HEADERS, KINDS, type Kind, ROUTES } from '@fish-crab/sdk/contract'
import { fromAddress } from '../mock/address.ts'
import type { SeededUser } from '../mock/seed.ts'
import type { Controlled } from './endpoint.ts'

const READ: Readonly<Record<Kind, string>> = { fish: ROUTES.getFish.path, crab: ROUTES.getCrab.path }

/** Entries of one kind by gamemode; gamemodes that hold none are left out. */
type Held = Record<Kind, Partial<Record<Gamemode, readonly unknown[]>>>

/** All that can be seen of a world but its journal. */
export async function stateView(controlled: Controlled) {
  const { users } = controlled.world.service
  const views = [...users.values()].map(async ({ name, password, fernetKey, apiKey }) => {
    return { name, password, fernetKey, apiKey, ...(await heldBy(controlled, { name, apiKey })) }
  })
  return { users: await Promise.all(views), clock: clockView(controlled), ...faultsView(controlled) }
}

/** The time of a world. */
export function clockView({ clock }: Controlled) {
  const unixMs = clock.now()
  return { now: new Date(unixMs).toISOString(), unixMs }
}

/** The faults that are not over. */
export function faultsView({ world }: Controlled) {
  return {
    faults: world.faults.pending().map(({ fault, scope: { on, user, delayMs }, remaining }) => ({
      fault,
      ...(on === undefined ? {} : { on }),
      ...(user === undefined ? {} : { user }),
      ...(delayMs ? { delayMs } : {}),
      // JSON has no Infinity.
      remaining: Number.isFinite(remaining) ? remaining : 'always',
    })),
  }
}

/** Every request since the world began or its journal was emptied. */
export function journalView({ journal }: Controlled) {
  return { requests: journal.entries() }
}

async function heldBy(controlled: Controlled, user: Pick<SeededUser, 'name' | 'apiKey'>): Promise<Held> {
  const held: Held = { fish: {}, crab: {} }
  for (const kind of KINDS) {
    for (const gamemode of GAMEMODES) {
      const entries = await read(controlled, kind, gamemode, user)
      if (entries.length > 0) held[kind][gamemode] = entries
    }
  }
  return held
}

async function read(
  { world }: Controlled,
  kind: Kind,
  gamemode: Gamemode,
  { name, apiKey }: Pick<SeededUser, 'name' | 'apiKey'>,
): Promise<readonly unknown[]> {
  const query = new URLSearchParams({ name, gamemode })
  const request = new Request(`http://mock.invalid${READ[kind]}?${query}`, { headers: { [HEADERS.apiKey]: apiKey } })
  // An address of its own: a key that was reset meanwhile lifts no limit, and nobody else's window may count this.
  const response = await world.service.app.fetch(fromAddress(request, `control ${crypto.randomUUID()}`))
  // A user that was deleted holds nothing.
  if (!response.ok) return []
  const body = (await response.json()) as Readonly<Partial<Record<Kind, readonly unknown[]>>>
  return body[kind] ?? []
}
