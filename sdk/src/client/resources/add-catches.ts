import { HEADERS, MEDIA_TYPES } from '../../contract/headers.ts'
import type { Kind } from '../../contract/kinds.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { RouteName } from '../../contract/routes.ts'
import type { Saved } from '../../contract/schemas/catches.ts'
import type { Fernet } from '../../fernet/index.ts'
import { untilAborted } from '../abort.ts'
import { type Answer, request } from '../answer.ts'
import type { CallOptions } from '../call-options.ts'
import { type CrabEntry, type FishEntry, readEntries } from '../entries.ts'
import { type Issue, ValidationError } from '../errors.ts'
import type { Settings } from '../options.ts'
import { readTarget, type Target } from '../targets.ts'
import type { Transport } from '../transport.ts'

/** What adding may be told. The client's `fernetKey` must be that of the named `user`. */
export interface AddOptions extends CallOptions, Target {}

/** What was saved. `replayed`: an earlier try had been stored already, and its answer was lost on the way. */
export type AddResult = Answer<Saved & { readonly replayed: boolean }>

/** What adding catches of one kind needs. */
export interface AddContext {
  readonly kind: Kind
  readonly route: RouteName
  readonly transport: Transport
  readonly settings: Settings
  readonly fernet: () => Promise<Fernet>
}

/** Checks, encrypts and posts entries as one record. */
export async function addCatches(
  { kind, route, transport, settings, fernet }: AddContext,
  entries: readonly (FishEntry | CrabEntry)[],
  options: AddOptions,
): Promise<AddResult> {
  const { signal } = options
  signal?.throwIfAborted()
  const issues: Issue[] = []
  const { user, gamemode } = readTarget(options, settings, issues)
  const payload = { user, gamemode, [kind]: readEntries(entries, kind, issues) }
  if (settings.fernetKey === undefined) {
    const message = "Needed to add catches: give createClient the option fernetKey, the user's key (see keys.get)."
    issues.push({ path: 'fernetKey', message })
  }
  if (issues.length > 0) throw new ValidationError(issues)

  const body = async () => sized(await (await fernet()).encrypt(JSON.stringify(payload)), kind)
  const { content, info, headers } = await request(
    transport,
    {
      route,
      query: { name: user },
      headers: { 'content-type': MEDIA_TYPES.token, [HEADERS.gamemode]: gamemode },
      body: () => untilAborted(body, signal),
      signal,
    },
    async () => (await import('../../contract/schemas/catches.ts')).savedSchema,
  )
  return { ...content, replayed: headers.get(HEADERS.replayed) === 'true', ...info }
}

function sized(token: string, kind: Kind): string {
  if (token.length <= LIMITS.bodyBytes) return token
  const message = `Encrypted, these entries are over ${LIMITS.bodyBytes} bytes. Give fewer entries a call.`
  throw new ValidationError([{ path: kind, message }])
}
