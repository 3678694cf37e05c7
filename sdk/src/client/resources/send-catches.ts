import { HEADERS, MEDIA_TYPES } from '../../contract/headers.ts'
import type { Route } from '../../contract/route.ts'
import type { Saved } from '../../contract/schemas/catches.ts'
import { type Issue, ValidationError } from '../../errors/validation-error.ts'
import { untilAborted } from '../abort.ts'
import { type Answer, call } from '../answer.ts'
import type { ApiPromise } from '../api-promise.ts'
import type { ApiRequest } from '../api-request.ts'
import type { CallOptions } from '../call-options.ts'
import type { CrabInput, FishInput } from '../entries.ts'
import { savedShape } from '../shapes/catches.generated.ts'
import { readTarget, type Target } from '../targets.ts'
import type { Transport } from '../transport.ts'
import { type CheckedCatches, checkCatches, type SealContext, type SealedCatches, sealCatches } from './seal-catches.ts'

/** What adding may be told. The client's `fernetKey` must be that of the named `user`. */
export interface AddOptions extends CallOptions, Target {}

/** What was saved. `replayed`: this token had been stored before, by a try whose answer was lost on the way. */
export type AddResult = Answer<Saved & { readonly replayed: boolean }>

/** What sending catches of one kind needs. */
export interface SendContext extends SealContext {
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
      const seal = async () => (await sealCatches(context, checked)).token
      return writeRequest(context, checked, () => untilAborted(seal, options.signal), options)
    },
    savedShape,
    withReplayed,
  )
}

/** Posts a token that was sealed before, maybe by another process. */
export function sendCatches(context: SendContext, sealed: SealedCatches, options: CallOptions): ApiPromise<AddResult> {
  return call(
    context.transport,
    () => writeRequest(context, checkSealed(context, sealed), async () => sealed.token, options),
    savedShape,
    withReplayed,
  )
}

function checkSealed({ kind, settings }: SendContext, sealed: SealedCatches): SealedCatches {
  const issues: Issue[] = []
  readTarget(sealed, settings, issues)
  if (sealed.kind !== kind) issues.push({ path: 'kind', message: `Must be ${kind} here.` })
  if (typeof sealed.token !== 'string' || sealed.token === '') {
    issues.push({ path: 'token', message: 'Must be the token that seal made.' })
  }
  if (issues.length > 0) throw new ValidationError(issues)
  return sealed
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
