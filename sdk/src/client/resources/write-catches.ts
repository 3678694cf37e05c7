import type { Gamemode } from '../../contract/gamemodes.ts'
import { HEADERS, MEDIA_TYPES } from '../../contract/headers.ts'
import type { Kind } from '../../contract/kinds.ts'
import { LIMITS } from '../../contract/limits.ts'
import { OWN_ROUTES, PUBLIC_ROUTES } from '../../contract/routes.ts'
import type { Saved } from '../../contract/schemas.ts'
import { checkOptions, type OptionNames } from '../../errors/check-options.ts'
import { InvalidResponseError } from '../../errors/connection-errors.ts'
import { type Issue, throwIssues, ValidationError } from '../../errors/fish-crab-error.ts'
import type { Fernet } from '../../fernet/index.ts'
import { untilAborted } from '../../internal/wait.ts'
import { CALL_OPTIONS, type CallOptions, type KnownGamemodes, type Settings } from '../core/options.ts'
import { savedShape } from '../shapes/on-demand.generated.ts'
import { noContentShape } from '../shapes/shape.ts'
import { type ApiPromise, call, type PreparedRequest, type ResponseMeta } from '../transport/call.ts'
import type { Transport } from '../transport/response.ts'
import { type CrabInput, entryIssue, type FishInput, type PayloadEntry, parseEntries } from './catch-input.ts'
import { basicCredentials } from './keys.ts'
import { gamemodeIssue, idIssue, resolveTarget, TARGET, type Target } from './target.ts'

/** Options of `add`. The client's `fernetKey` must be the key of `user`. */
export interface AddOptions extends CallOptions, Target {}

/**
 * The saved record. If `replayed` is `true`, the service had already stored the token, for example in an attempt whose
 * response was lost.
 */
export type AddResult = Saved & { readonly replayed: boolean } & ResponseMeta

/**
 * Options of `remove`. `user` and `gamemode` name the collection of the record. @default the client's `user` and
 * `gamemode`
 */
export interface RemoveOptions extends CallOptions, Target {
  /** The password of the player. */
  readonly password: string
  /** The `entry` of the only entry to remove, from `list` with `detail: 'full'`. @default all entries of the record */
  readonly entry?: number | undefined
}

/** Options of `move`. */
export interface MoveOptions extends Omit<RemoveOptions, 'entry'> {
  /** The new gamemode of the record, which must differ from `gamemode`. */
  readonly to: Gamemode
}

/** The parts of a client that its methods share. */
export interface ClientContext {
  readonly transport: Transport
  readonly settings: Settings
  readonly fernet: () => Promise<Fernet>
}

type Entries = readonly (FishInput | CrabInput)[]

/** Encrypts the entries when the rate limiter grants the permit. */
export function addCatches(context: ClientContext, kind: Kind, entries: Entries, options: AddOptions) {
  return write(context, kind, options, { ...CALL_OPTIONS, ...TARGET }, () => {
    const { signal } = options
    signal?.throwIfAborted()
    const checked = checkCatches(context, kind, entries, options, context.settings.knownGamemodes)
    const encrypt = async () => (await encryptCatches(context, checked)).token
    return { ...checked, body: () => untilAborted(encrypt, signal) }
  })
}

export function sendCatches(context: ClientContext, kind: Kind, encrypted: EncryptedCatches, options: CallOptions) {
  return write(context, kind, options, CALL_OPTIONS, () => {
    const { issues } = resolveTarget(encrypted, {})
    if (encrypted.kind !== kind) issues.push({ path: 'kind', message: `Must be ${kind} here.` })
    if (typeof encrypted.token !== 'string' || encrypted.token === '') {
      issues.push({ path: 'token', message: 'Must be a token from encrypt.' })
    }
    return { ...encrypted, body: async () => encrypted.token, issues }
  })
}

function write<Options extends CallOptions>(
  { transport }: ClientContext,
  kind: Kind,
  options: Options,
  known: OptionNames<NoInfer<Options>>,
  prepare: () => Pick<EncryptedCatches, 'user' | 'gamemode'> & Pick<PreparedRequest, 'body' | 'issues'>,
): ApiPromise<AddResult> {
  return call(transport, {
    options,
    known,
    shape: savedShape,
    prepare: () => {
      const { user, gamemode, body, issues = [] } = prepare()
      const headers = { 'content-type': MEDIA_TYPES.token, [HEADERS.gamemode]: gamemode }
      const route = PUBLIC_ROUTES[kind === 'fish' ? 'postFish' : 'postCrab']
      return { route, query: { name: user }, headers, issues, ...(body && { body }) }
    },
    finish: (saved, headers) => ({ ...saved, replayed: headers.get(HEADERS.replayed) === 'true' }),
    describe: (error) => withUnknownOutcome(error, kind),
  })
}

/** An unreadable response may come from a proxy, or from the service after the catch was stored. */
function withUnknownOutcome(error: unknown, kind: Kind): unknown {
  if (!(error instanceof InvalidResponseError) || error.status < 200 || error.status >= 300) return error
  const resource = `client.${kind === 'fish' ? 'fish' : 'crabs'}`
  const hint = `Check baseUrl. The same token can be sent again, it is stored once: ${resource}.encrypt, ${resource}.send.`
  return new InvalidResponseError(`${error.summary} The catch may be stored.`, { ...error, hint })
}

/**
 * Catches as one encrypted token. The object is plain data without secrets. You can store it anywhere and send it
 * later, even repeatedly or from another process. The service stores each token once.
 */
export interface EncryptedCatches {
  /** The kind of the catches. Send fish with `client.fish.send`, and crabs with `client.crabs.send`. */
  readonly kind: Kind
  /** The player whose key encrypted the token. */
  readonly user: string
  /** The gamemode of the catches, as in the token. */
  readonly gamemode: Gamemode
  /** The Fernet token, in URL-safe base64. */
  readonly token: string
}

interface CheckedCatches extends Omit<EncryptedCatches, 'token'> {
  readonly entries: readonly PayloadEntry[]
}

/**
 * @param known Known gamemodes, for catches that are sent immediately. Omitted for catches that are sent later, since
 * the service may have new gamemodes by then.
 * @throws ValidationError with every mistake
 */
function checkCatches(
  { settings }: ClientContext,
  kind: Kind,
  entries: Entries,
  target: Target,
  knownGamemodes?: KnownGamemodes,
): CheckedCatches {
  const { user, gamemode, issues } = resolveTarget(target, { ...settings, knownGamemodes })
  const checked = parseEntries(entries, kind, issues)
  if (settings.fernetKey === undefined) {
    const message = 'Required to add catches. Pass fernetKey to createClient (see keys.get).'
    issues.push({ path: 'fernetKey', message })
  }
  throwIssues(issues)
  return { kind, user, gamemode, entries: checked }
}

/** @throws ValidationError; FernetError */
export async function encryptInput(
  context: ClientContext,
  kind: Kind,
  entries: Entries,
  target: Target,
): Promise<EncryptedCatches> {
  checkOptions(target, TARGET)
  return encryptCatches(context, checkCatches(context, kind, entries, target))
}

/** @throws ValidationError when the token is too large for one request; FernetError */
async function encryptCatches(
  { fernet }: ClientContext,
  { kind, user, gamemode, entries }: CheckedCatches,
): Promise<EncryptedCatches> {
  const token = await (await fernet()).encrypt(JSON.stringify({ user, gamemode, [kind]: entries }))
  if (token.length > LIMITS.bodyBytes) {
    const message = `Encrypted, these entries exceed ${LIMITS.bodyBytes} bytes. Pass fewer entries per call.`
    throw new ValidationError([{ path: kind, message }])
  }
  return { kind, user, gamemode, token }
}

export function removeRecord(context: ClientContext, kind: Kind, id: string, options: RemoveOptions) {
  const route = OWN_ROUTES[kind === 'fish' ? 'deleteOwnFish' : 'deleteOwnCrab']
  const { entry } = options
  return change(context, id, options, { ...CHANGE, entry: 1 }, () => ({
    route,
    query: { entry },
    issues: [entryIssue(entry)],
  }))
}

export function moveRecord(context: ClientContext, kind: Kind, id: string, options: MoveOptions) {
  const route = OWN_ROUTES[kind === 'fish' ? 'moveOwnFish' : 'moveOwnCrab']
  return change(context, id, options, { ...CHANGE, to: 1 }, () => {
    const issues = [gamemodeIssue(options.to, 'to', context.settings.knownGamemodes)]
    return { route, json: { gamemode: options.to }, issues }
  })
}

const CHANGE: OptionNames<Omit<RemoveOptions, 'entry'>> = { ...CALL_OPTIONS, ...TARGET, password: 1 }

function change<Options extends Omit<RemoveOptions, 'entry'>>(
  { transport, settings }: ClientContext,
  id: string,
  options: Options,
  known: OptionNames<NoInfer<Options>>,
  prepare: () => PreparedRequest,
): ApiPromise<ResponseMeta> {
  return call(transport, {
    options,
    known,
    shape: noContentShape,
    prepare: () => {
      const target = resolveTarget(options, settings)
      const { issues = [], query: ownQuery, ...request } = prepare()
      const wrong: Issue[] = []
      const headers = { authorization: basicCredentials(target.user, options.password, wrong) }
      const query = { gamemode: target.gamemode, ...ownQuery }
      return {
        ...request,
        params: { id },
        query,
        headers,
        issues: [...target.issues, ...issues, ...wrong, idIssue(id)],
      }
    },
  })
}
