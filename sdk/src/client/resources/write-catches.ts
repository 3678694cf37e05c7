import type { Gamemode } from '../../contract/gamemodes.ts'
import { HEADERS, MEDIA_TYPES } from '../../contract/headers.ts'
import type { Kind } from '../../contract/kinds.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Route } from '../../contract/routes.ts'
import type { Saved } from '../../contract/schemas.ts'
import { checkOptions, type OptionNames } from '../../errors/check-options.ts'
import { InvalidResponseError } from '../../errors/connection-errors.ts'
import { type Issue, throwIssues, ValidationError } from '../../errors/fish-crab-error.ts'
import type { Fernet } from '../../fernet/index.ts'
import { untilAborted } from '../../internal/wait.ts'
import { CALL_OPTIONS, type CallOptions } from '../core/call-options.ts'
import type { KnownGamemodes } from '../core/known-gamemodes.ts'
import type { Settings } from '../core/options.ts'
import { savedShape } from '../shapes/shapes.generated.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import type { Transport } from '../transport/response.ts'
import { type CrabInput, type FishInput, type PayloadEntry, parseEntries } from './catch-input.ts'
import { resolveTarget, TARGET, type Target } from './target.ts'

/** Options of `add`. The client's `fernetKey` must be the key of `user`. */
export interface AddOptions extends CallOptions, Target {}

/** The saved record. `replayed`: an earlier attempt stored the token, but its response was lost. */
export type AddResult = Saved & { readonly replayed: boolean } & ResponseMeta

export interface WriteContext {
  readonly kind: Kind
  readonly route: Route
  readonly transport: Transport
  readonly settings: Settings
  readonly fernet: () => Promise<Fernet>
}

const ADD_OPTIONS: OptionNames<AddOptions> = { ...CALL_OPTIONS, ...TARGET }

/** Encrypts the entries when the rate limiter grants the permit. */
export function addCatches(
  context: WriteContext,
  entries: readonly (FishInput | CrabInput)[],
  options: AddOptions,
): ApiPromise<AddResult> {
  return write(context, options, ADD_OPTIONS, () => {
    const { signal } = options
    signal?.throwIfAborted()
    const checked = checkCatches(context, entries, options, context.settings.knownGamemodes)
    const encrypt = async () => (await encryptCatches(context, checked)).token
    return { ...checked, body: () => untilAborted(encrypt, signal) }
  })
}

export function sendCatches(
  context: WriteContext,
  encrypted: EncryptedCatches,
  options: CallOptions,
): ApiPromise<AddResult> {
  return write(context, options, CALL_OPTIONS, () => ({
    ...checkEncrypted(context, encrypted),
    body: async () => encrypted.token,
  }))
}

function write(
  { transport, route, kind }: WriteContext,
  options: CallOptions,
  known: OptionNames,
  prepare: () => Omit<EncryptedCatches, 'token'> & { readonly body: () => Promise<string> },
): ApiPromise<AddResult> {
  return call(transport, {
    options,
    known,
    shape: savedShape,
    prepare: () => {
      const { user, gamemode, body } = prepare()
      const headers = { 'content-type': MEDIA_TYPES.token, [HEADERS.gamemode]: gamemode }
      return { route, query: { name: user }, headers, body }
    },
    finish: (saved, headers) => ({ ...saved, replayed: headers.get(HEADERS.replayed) === 'true' }),
    describe: (error) => withUnknownOutcome(error, kind),
  })
}

function checkEncrypted({ kind }: Pick<WriteContext, 'kind'>, encrypted: EncryptedCatches): EncryptedCatches {
  const issues: Issue[] = []
  resolveTarget(encrypted, {}, issues)
  if (encrypted.kind !== kind) issues.push({ path: 'kind', message: `Must be ${kind} here.` })
  if (typeof encrypted.token !== 'string' || encrypted.token === '') {
    issues.push({ path: 'token', message: 'Must be a token from encrypt.' })
  }
  throwIssues(issues)
  return encrypted
}

/** A response that cannot be read may be that of a proxy, or of the service after it stored the catch. */
function withUnknownOutcome(error: unknown, kind: Kind): unknown {
  if (!(error instanceof InvalidResponseError) || error.status < 200 || error.status >= 300) return error
  const resource = `client.${kind === 'fish' ? 'fish' : 'crabs'}`
  const hint = `Check baseUrl. The same token can be sent again, it is stored once: ${resource}.encrypt, ${resource}.send.`
  return new InvalidResponseError(`${error.summary} The catch may be stored.`, { ...error, hint })
}

/**
 * Catches as one encrypted token. Plain data without secrets: store it anywhere and send it later, even repeatedly or
 * from another process. The service stores it once.
 */
export interface EncryptedCatches {
  readonly kind: Kind
  readonly user: string
  readonly gamemode: Gamemode
  /** The Fernet token, base64url. */
  readonly token: string
}

interface CheckedCatches extends Omit<EncryptedCatches, 'token'> {
  readonly entries: readonly PayloadEntry[]
}

/**
 * @param known For catches that are sent at once. Later, the service may have another gamemode.
 * @throws ValidationError with every mistake
 */
function checkCatches(
  { kind, settings }: WriteContext,
  entries: readonly (FishInput | CrabInput)[],
  target: Target,
  knownGamemodes?: KnownGamemodes,
): CheckedCatches {
  const issues: Issue[] = []
  const { user, gamemode } = resolveTarget(target, { ...settings, knownGamemodes }, issues)
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
  context: WriteContext,
  entries: readonly (FishInput | CrabInput)[],
  target: Target,
): Promise<EncryptedCatches> {
  checkOptions(target, TARGET)
  return encryptCatches(context, checkCatches(context, entries, target))
}

/** @throws ValidationError when the token is too large for one request; FernetError */
async function encryptCatches(
  { fernet }: WriteContext,
  { kind, user, gamemode, entries }: CheckedCatches,
): Promise<EncryptedCatches> {
  const token = await (await fernet()).encrypt(JSON.stringify({ user, gamemode, [kind]: entries }))
  if (token.length > LIMITS.bodyBytes) {
    const message = `Encrypted, these entries exceed ${LIMITS.bodyBytes} bytes. Pass fewer entries per call.`
    throw new ValidationError([{ path: kind, message }])
  }
  return { kind, user, gamemode, token }
}
