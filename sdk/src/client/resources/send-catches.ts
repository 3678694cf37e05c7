import { HEADERS, MEDIA_TYPES } from '../../contract/headers.ts'
import type { Route } from '../../contract/route.ts'
import type { Saved } from '../../contract/schemas/catches.ts'
import { type Issue, ValidationError } from '../../errors/fish-crab-error.ts'
import type { ApiRequest } from '../api-request.ts'
import { type ApiPromise, call, type ResponseMeta } from '../call.ts'
import type { CallOptions } from '../call-options.ts'
import { untilAborted } from '../clock.ts'
import type { CrabInput, FishInput } from '../entries.ts'
import { savedShape } from '../shapes/catches.generated.ts'
import { readTarget, type Target } from '../targets.ts'
import type { Transport } from '../transport.ts'
import {
  type CheckedCatches,
  checkCatches,
  type EncryptContext,
  type EncryptedCatches,
  encryptCatches,
} from './encrypt-catches.ts'

/** What adding may be told. The client's `fernetKey` must be that of the named `user`. */
export interface AddOptions extends CallOptions, Target {}

/** What was saved. `replayed`: this token had been stored before, by a try whose answer was lost on the way. */
export type AddResult = Saved & { readonly replayed: boolean } & ResponseMeta

/** What sending catches of one kind needs. */
export interface SendContext extends EncryptContext {
  readonly route: Route
  readonly transport: Transport
}

/** Checks, encrypts and posts entries as one record. They are encrypted when the rate limit lets them go. */
export function addCatches(
  context: SendContext,
  entries: readonly (FishInput | CrabInput)[],
  { user, gamemode, ...options }: AddOptions,
): ApiPromise<AddResult> {
  return call(
    context.transport,
    () => {
      options.signal?.throwIfAborted()
      const checked = checkCatches(context, entries, { user, gamemode })
      const encrypt = async () => (await encryptCatches(context, checked)).token
      return writeRequest(context, checked, () => untilAborted(encrypt, options.signal), options)
    },
    savedShape,
    withReplayed,
  )
}

/** Posts a token that was encrypted before, maybe by another process. */
export function sendCatches(
  context: SendContext,
  encrypted: EncryptedCatches,
  options: CallOptions,
): ApiPromise<AddResult> {
  return call(
    context.transport,
    () => writeRequest(context, checkEncrypted(context, encrypted), async () => encrypted.token, options),
    savedShape,
    withReplayed,
  )
}

function checkEncrypted({ kind, settings }: SendContext, encrypted: EncryptedCatches): EncryptedCatches {
  const issues: Issue[] = []
  readTarget(encrypted, settings, issues)
  if (encrypted.kind !== kind) issues.push({ path: 'kind', message: `Must be ${kind} here.` })
  if (typeof encrypted.token !== 'string' || encrypted.token === '') {
    issues.push({ path: 'token', message: 'Must be the token that encrypt made.' })
  }
  if (issues.length > 0) throw new ValidationError(issues)
  return encrypted
}

function writeRequest(
  { route }: SendContext,
  { user, gamemode }: Pick<CheckedCatches, 'user' | 'gamemode'>,
  body: () => Promise<string>,
  options: CallOptions,
): ApiRequest {
  const headers = { 'content-type': MEDIA_TYPES.token, [HEADERS.gamemode]: gamemode }
  return { route, query: { name: user }, headers, body, options }
}

function withReplayed(saved: Saved, headers: Headers) {
  return { ...saved, replayed: headers.get(HEADERS.replayed) === 'true' }
}
