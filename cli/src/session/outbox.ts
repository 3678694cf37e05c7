import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { FishCrabError, type RateLimitState, type ResponseEvent } from '@fish-crab/sdk'
import { userNameKey } from '@fish-crab/sdk/constants'
import {
  inspectOutbox,
  type Outbox,
  type OutboxListener,
  type OutboxOptions,
  OutboxStoreError,
  openOutbox,
  type StoredCatch,
} from '@fish-crab/sdk/outbox'
import { catchesText, waitingText } from '../core/amounts.ts'
import { commandLine } from '../core/argv.ts'
import { describeError } from '../core/describe-error.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { isSameService } from '../core/parse-values.ts'
import { rememberAdded } from './added.ts'
import { findPlayerKey, readPlayerKey } from './credentials.ts'
import { folders, outboxPath } from './paths.ts'
import type { Profile } from './profiles.ts'
import type { PlayerOutboxOptions, Session } from './session.ts'

/**
 * Opens the outbox to send the catches of one player. The catches of other players stay in the outbox. In the
 * background, catches that the service rejects are sent again if `login` has stored another key since.
 */
export async function openPlayerOutbox(
  session: Session,
  { user, gamemode, delayMs }: PlayerOutboxOptions,
): Promise<Outbox> {
  let state: RateLimitState | undefined
  const onResponse = ({ rateLimit }: ResponseEvent) => {
    state = rateLimit
  }
  // The client does not retry, because the outbox retries.
  const open = async (fernetKey: string) => ({
    fernetKey,
    client: await session.client({ user, gamemode, fernetKey, maxRetries: 0, onResponse }),
  })
  let current = await open(await readPlayerKey(session, user))
  let used = current
  const client = {
    baseUrl: current.client.baseUrl,
    get fish() {
      used = current
      return used.client.fish
    },
    get crabs() {
      used = current
      return used.client.crabs
    },
  }
  const linger = delayMs && { lingerMs: () => delayMs(state, session.clock.now()) }
  const outbox = await openOutboxFile(session, { client, user, gamemode, ...linger })
  if (!delayMs) return outbox

  const rejected = new Set<number>()
  async function retryWithNewKey(rejectedKey: string): Promise<void> {
    const fernetKey = await findPlayerKey(session, user, true)
    if (fernetKey === undefined || fernetKey === rejectedKey) return
    if (fernetKey !== current.fernetKey) current = await open(fernetKey)
    const count = await outbox.retry([...rejected])
    rejected.clear()
    session.terminal.say(`fish-cli: Sending ${catchesText(count)} again with your new key.`)
  }
  let retrying: Promise<void> = Promise.resolve()
  outbox.subscribe((event) => {
    if (event.type !== 'rejected' || event.reason.code !== 'invalid_token') return
    rejected.add(event.id)
    const { fernetKey } = used
    retrying = retrying
      .then(() => retryWithNewKey(fernetKey))
      .catch((error) => {
        // Without a readable key, the catches stay rejected, which is already reported.
        if (!(error instanceof CliError)) session.terminal.say(`fish-cli: ${describeError(error).message}`)
      })
  })
  return outbox
}

/** Opens the outbox without a key. Returns `undefined` if the outbox does not exist. */
export async function openLocalOutbox(session: Session): Promise<Outbox | undefined> {
  return existsSync(session.outboxPath) ? openOutboxFile(session, { baseUrl: session.url }) : undefined
}

/** A limit above the maximum size of an outbox, which is one million catches. */
const ALL = 10_000_000

export async function waitingCatches(outbox: Outbox, user: string): Promise<readonly StoredCatch[]> {
  const all = await outbox.peek(ALL)
  return all.filter((one) => userNameKey(one.user) === userNameKey(user))
}

// The hints of the SDK refer to options of its API, which users of this program cannot set.
const HINTS: Readonly<Record<string, string>> = {
  outbox_damaged: 'Move the file away to continue. Catches that wait in this file are then not sent.',
  outbox_other_service: 'The file was copied or renamed. Move it away to continue.',
  outbox_not_writable:
    'Check the owner and the mode of the file and its folder, or set XDG_STATE_HOME to another folder.',
}

async function openOutboxFile(session: Session, options: OutboxOptions): Promise<Outbox> {
  const { clock, outboxPath: path } = session
  const command = crypto.randomUUID()
  const onEvent: OutboxListener = (event) => {
    if (event.type === 'delivered') {
      // `undo` treats each record that was sent in the background as a separate run.
      const run = options.lingerMs ? event.id : command
      void rememberAdded(session, { ...event.collection, id: event.id, at: clock.now(), run })
    }
  }
  try {
    return await openOutbox({ ...options, path, clock, onEvent })
  } catch (error) {
    if (!(error instanceof FishCrabError) || !Object.hasOwn(HINTS, error.code)) throw error
    const { code, summary } = error
    const message = summary.includes(path) ? summary : `${summary} Its path is ${path}.`
    throw new CliError({ code, message, hint: HINTS[code] ?? '', exit: EXIT.failure })
  }
}

interface Unsent {
  /** `null` for an outbox that cannot be read. */
  readonly service: { readonly url: string; readonly queued: number } | null
  readonly result: string
  readonly fix: string
}

/**
 * Returns the catches that wait on this machine for addresses other than `url`, and the outboxes that cannot be read.
 */
export async function unsentElsewhere(session: Session): Promise<readonly Unsent[]> {
  const files = globSync('outbox-*.db', { cwd: folders(session).state, withFileTypes: true })
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
  const others = paths.filter((path) => path !== session.outboxPath)
  const found = await Promise.all(others.map((path) => readUnsent(session, path)))
  return found.filter((one) => one !== undefined)
}

/** Reports waiting catches of a profile that loses its key or changes its address. */
export async function noteUnsent(session: Session, former: Profile | undefined, newUrl = ''): Promise<void> {
  if (!former || isSameService(former.url, newUrl)) return
  const path = outboxPath(session, former.url)
  const unsent = existsSync(path) ? await readUnsent(session, path) : undefined
  if (unsent) session.terminal.note(`fish-cli: ${unsent.result} ${unsent.fix}`)
}

/**
 * Reads an outbox without changing the file. Returns `undefined` if no catches wait, or if the file is not an outbox or
 * is only a copy of an outbox.
 */
async function readUnsent(session: Session, path: string): Promise<Unsent | undefined> {
  try {
    const { service: url = '', pending: queued, close } = await inspectOutbox(path)
    close()
    if (queued === 0 || outboxPath(session, url) !== path) return undefined
    const result = waitingText(queued, `for the service ${url}`)
    return {
      service: { url, queued },
      result,
      fix: `Send them: ${commandLine('outbox', '--send', '--url', url)}`,
    }
  } catch (error) {
    if (!(error instanceof OutboxStoreError) || error.code === 'outbox_unavailable') return undefined
    const fix = HINTS[error.code] ?? HINTS.outbox_not_writable ?? ''
    return { service: null, result: `The outbox ${path} cannot be read.`, fix }
  }
}

/**
 * Returns a function that checks whether an outbox knows a key. An outbox knows the keys of its waiting catches and of
 * its sent catches. Changes nothing. Without an outbox, every key is unknown.
 */
export async function knownKeys({ outboxPath: path }: Session): Promise<(key: string) => boolean> {
  if (!existsSync(path)) return () => false
  try {
    const { hasKey } = await inspectOutbox(path)
    return hasKey
  } catch {
    // The problem is reported later, when the outbox is opened to add the catches.
    return () => false
  }
}
