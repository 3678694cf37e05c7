import { existsSync } from 'node:fs'
import { type Gamemode, isFishCrabError, type RateLimitState, type ResponseEvent } from '@fish-crab/sdk'
import { type Outbox, type OutboxListener, type OutboxOptions, openOutbox } from '@fish-crab/sdk/outbox'
import { playerKey } from '../auth/player-key.ts'
import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import type { RunIo } from '../core/run-io.ts'
import { clientFor, type ServiceFlags, selection } from './open-client.ts'
import { outboxPath } from './outbox-path.ts'

/** Whose catches an outbox sends. */
export interface PlayerOutboxOptions {
  readonly user: string
  /** That of catches which name none. */
  readonly gamemode?: Gamemode | undefined
  /** How long the background waits for more, in milliseconds, by what the service said last of its limit. */
  readonly pauseMs?: ((state: RateLimitState | undefined, now: number) => number) | undefined
}

/** The outbox of the selected service, with what sends one player's catches. Others' catches stay in it. */
export async function openPlayerOutbox(
  io: RunIo,
  flags: ServiceFlags & { readonly 'no-input'?: boolean | undefined },
  { user, gamemode, pauseMs }: PlayerOutboxOptions,
): Promise<Outbox> {
  const chosen = selection(io, flags)
  const fernetKey = await playerKey(io, flags, user)
  // The outbox tries again by itself.
  let state: RateLimitState | undefined
  const onResponse = ({ rateLimit }: ResponseEvent) => {
    state = rateLimit
  }
  const client = await clientFor(io, chosen, { user, gamemode, fernetKey, maxRetries: 0, onResponse })
  const linger = pauseMs && { lingerMs: () => pauseMs(state, io.clock.now()) }
  // An old log may be read at any time, and tells what was sent long ago.
  const keys = { keyLifeMs: Number.POSITIVE_INFINITY, maxKeys: 1_000_000 }
  return openOwn(io, chosen.url.value, { client, user, gamemode, ...keys, ...linger })
}

/**
 * The outbox of the selected service, for looking into it: it sends nothing and needs no key. Makes none where there is
 * none yet.
 */
export async function openIdleOutbox(io: RunIo, flags: ServiceFlags): Promise<Outbox | undefined> {
  const url = selection(io, flags).url.value
  return existsSync(outboxPath(io, url)) ? openOwn(io, url, { baseUrl: url }) : undefined
}

/** Fails where {@link openPlayerOutbox} would for want of a right key; asks nobody for it, and makes nothing. */
export async function checkPlayer(io: RunIo, flags: ServiceFlags, { user, gamemode }: PlayerOutboxOptions) {
  const fernetKey = await playerKey(io, { ...flags, 'no-input': true }, user)
  await clientFor(io, selection(io, flags), { user, gamemode, fernetKey })
}

// The path is not for who types commands to choose, so what to do about it is told in other words here.
const HINTS: Readonly<Record<string, string>> = {
  outbox_damaged: 'Move it away to go on without it; catches that waited in it are not sent then.',
  outbox_other_service: 'It was copied or renamed. Move it away to go on without it.',
  outbox_not_writable: 'Check owner and mode of it and its folder, or set XDG_STATE_HOME to another folder.',
}

/** @throws CliError that names the file */
async function openOwn(io: RunIo, url: string, options: OutboxOptions): Promise<Outbox> {
  const path = outboxPath(io, url)
  const onEvent: OutboxListener = (event) => {
    if (event.type !== 'adopted') return
    io.line.say(`fish-cli: The outbox of an older version, ${path}, belongs to ${event.service} from now on.`)
  }
  try {
    return await openOutbox({ ...options, path, clock: io.clock, onEvent })
  } catch (error) {
    if (!isFishCrabError(error) || !Object.hasOwn(HINTS, error.code)) throw error
    const { code, summary } = error
    throw new CliError({ code, message: `${summary} It is ${path}.`, hint: HINTS[code] ?? '', exit: EXIT.failure })
  }
}
