import type { PayloadEntry } from '../client/entries.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Collection } from './store.ts'

// A Fernet token is version 1, timestamp 8, IV 16, ciphertext in blocks of 16 with at least 1 byte of padding, HMAC 32.
const TOKEN_BYTES_AROUND = 57
const BLOCK_BYTES = 16

const encoder = /* @__PURE__ */ new TextEncoder()

/** A catch that may go into a batch. */
interface Candidate {
  readonly entry: PayloadEntry
  readonly batchLimit?: number | undefined
}

/**
 * The first of these catches that fit into one request: at most `maxBatch`, as many as each of them allows, and no
 * larger than a body may be once they are encrypted. At least one, if there is one.
 */
export function firstBatch<Catch extends Candidate>(
  catches: readonly Catch[],
  { user, gamemode, kind }: Collection,
  maxBatch: number,
): Catch[] {
  let bytes = byteLength({ user, gamemode, [kind]: [] })
  let limit = Math.min(maxBatch, LIMITS.entriesPerWrite)
  const batch: Catch[] = []
  for (const one of catches) {
    limit = Math.min(limit, one.batchLimit ?? limit)
    bytes += byteLength(one.entry) + 1
    if (batch.length > 0 && (batch.length >= limit || tokenLength(bytes) > LIMITS.bodyBytes)) break
    batch.push(one)
  }
  return batch
}

/** Characters of the token that so many bytes become. */
function tokenLength(bytes: number): number {
  const raw = TOKEN_BYTES_AROUND + BLOCK_BYTES * (Math.floor(bytes / BLOCK_BYTES) + 1)
  return Math.ceil(raw / 3) * 4
}

function byteLength(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length
}
