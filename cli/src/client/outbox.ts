import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FishCrabError, type Gamemode, type RateLimitState, type ResponseEvent } from '@fish-crab/sdk'
import { userNameKey } from '@fish-crab/sdk/constants'
import {
  type DeadLetter,
  type Outbox,
  type OutboxListener,
  type OutboxOptions,
  openOutbox,
} from '@fish-crab/sdk/outbox'
import { readPlayerKey } from '../auth/identity.ts'
import { folders } from '../config/paths.ts'
import { type ServiceFlags, selectService } from '../config/selection.ts'
import type { Context } from '../core/context.ts'
import { CliError, EXIT, usageError } from '../core/errors.ts'
import { clientFor } from './client.ts'

/** Whose catches an outbox sends. */
interface PlayerOutboxOptions {
  readonly user: string
  /** That of catches which name none. */
  readonly gamemode?: Gamemode | undefined
  /** How long the background waits for more, in milliseconds, by what the service said last of its limit. */
  readonly pauseMs?: ((state: RateLimitState | undefined, now: number) => number) | undefined
}

/** The outbox of the selected service, with what sends one player's catches. Others' catches stay in it. */
export async function openPlayerOutbox(
  io: Context,
  flags: ServiceFlags & { readonly 'no-input'?: boolean | undefined },
  { user, gamemode, pauseMs }: PlayerOutboxOptions,
): Promise<Outbox> {
  const chosen = selectService(io, flags)
  const fernetKey = await readPlayerKey(io, flags, user)
  // The outbox tries again by itself.
  let state: RateLimitState | undefined
  const onResponse = ({ rateLimit }: ResponseEvent) => {
    state = rateLimit
  }
  const client = await clientFor(io, chosen, { user, gamemode, fernetKey, maxRetries: 0, onResponse })
  const linger = pauseMs && { lingerMs: () => pauseMs(state, io.clock.now()) }
  // An old log may be read at any time, and tells what was sent long ago.
  const keys = { keyLifeMs: Number.POSITIVE_INFINITY, maxKeys: 1_000_000 }
  return openOutboxFile(io, chosen.url.value, { client, user, gamemode, ...keys, ...linger })
}

/**
 * The outbox of the selected service, for looking into it: it sends nothing and needs no key. Makes none where there is
 * none yet.
 */
export async function openLocalOutbox(io: Context, flags: ServiceFlags): Promise<Outbox | undefined> {
  const url = selectService(io, flags).url.value
  return existsSync(outboxPath(io, url)) ? openOutboxFile(io, url, { baseUrl: url }) : undefined
}

/** Fails where {@link openPlayerOutbox} would for want of a right key; asks nobody for it, and makes nothing. */
export async function checkPlayerKey(io: Context, flags: ServiceFlags, { user, gamemode }: PlayerOutboxOptions) {
  const fernetKey = await readPlayerKey(io, { ...flags, 'no-input': true }, user)
  await clientFor(io, selectService(io, flags), { user, gamemode, fernetKey })
}

// The path is not for who types commands to choose, so what to do about it is told in other words here.
const HINTS: Readonly<Record<string, string>> = {
  outbox_damaged: 'Move it away to go on without it; catches that waited in it are not sent then.',
  outbox_other_service: 'It was copied or renamed. Move it away to go on without it.',
  outbox_not_writable: 'Check owner and mode of it and its folder, or set XDG_STATE_HOME to another folder.',
}

/** @throws CliError that names the file */
async function openOutboxFile(io: Context, url: string, options: OutboxOptions): Promise<Outbox> {
  const path = outboxPath(io, url)
  const onEvent: OutboxListener = (event) => {
    if (event.type !== 'adopted') return
    io.line.say(`fish-cli: The outbox of an older version, ${path}, belongs to ${event.service} from now on.`)
  }
  try {
    return await openOutbox({ ...options, path, clock: io.clock, onEvent })
  } catch (error) {
    if (!(error instanceof FishCrabError) || !Object.hasOwn(HINTS, error.code)) throw error
    const { code, summary } = error
    throw new CliError({ code, message: `${summary} It is ${path}.`, hint: HINTS[code] ?? '', exit: EXIT.failure })
  }
}

/**
 * The file of the outbox for a service: each service has one of its own, since what waits for one must not go to
 * another. It is beside the other files of this machine's state.
 */
export function outboxPath(io: Pick<Context, 'env'>, url: string): string {
  const { host = 'service', origin = url, pathname = '' } = URL.parse(url) ?? {}
  const name = host.replace(/[^a-z\d.-]+/gi, '-').slice(0, 64)
  const hash = createHash('sha256')
    .update(`${origin}${pathname.replace(/\/+$/, '')}`)
    .digest('hex')
    .slice(0, 8)
  return join(folders(io).state, `outbox-${name}-${hash}.db`)
}

/** How many catches wait to be sent. */
interface QueuedCounts {
  /** Those of one player. */
  readonly own: number
  readonly others: number
}

/** Counts what waits, with and without a token; what was set aside does not. */
export async function countQueued(outbox: Pick<Outbox, 'status'>, user: string): Promise<QueuedCounts> {
  const { collections } = await outbox.status()
  const count = (isOwn: boolean) =>
    collections
      .filter((one) => (userNameKey(one.user) === userNameKey(user)) === isOwn)
      .reduce((sum, { queued, frozen }) => sum + queued + frozen, 0)
  return { own: count(true), others: count(false) }
}

/** What a flush would do. */
interface FlushPlan {
  /** The service that it would be sent to. */
  readonly url: string
  /** How many catches of the player wait. */
  readonly catches: number
  /** How many of others do, which would stay. */
  readonly left: number
}

/**
 * Looks at what a flush would send, without a request, and makes no outbox where there is none.
 *
 * @throws CliError where the key is missing, and whatever else keeps the player's client from being made
 */
export async function planFlush(io: Context, flags: ServiceFlags, user: string): Promise<FlushPlan> {
  const url = selectService(io, flags).url.value
  await checkPlayerKey(io, flags, { user })
  await using outbox = await openLocalOutbox(io, flags)
  if (!outbox) return { url, catches: 0, left: 0 }
  const { own, others } = await countQueued(outbox, user)
  return { url, catches: own, left: others }
}

/**
 * The set-aside batches that were named, all when none was.
 *
 * @param outbox None where nothing was ever queued.
 * @throws CliError when a name is no number, or there is no such batch
 */
export async function selectDeadLetters(
  outbox: Outbox | undefined,
  names: readonly string[],
): Promise<readonly DeadLetter[]> {
  if (!names.every((name) => /^\d{1,15}$/.test(name))) throw usageError('ID must be a number.', SEE)
  const batches = outbox ? await outbox.deadLetters() : []
  if (names.length === 0) return batches
  const ids = new Set(names.map(Number))
  const chosen = batches.filter(({ id }) => ids.has(id))
  if (chosen.length === ids.size) return chosen
  throw new CliError({
    code: 'batch_not_found',
    message: 'Nothing is set aside under that ID.',
    hint: SEE,
    exit: EXIT.notFound,
  })
}

const SEE = 'See the IDs: fish-cli outbox status'

/** How many catches batches hold. */
export function countCatches(batches: readonly DeadLetter[]): number {
  return batches.reduce((sum, { count }) => sum + count, 0)
}
