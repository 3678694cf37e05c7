import { encodeKeyPart } from '../core/keys.ts'
import type { Collection } from '../core/types.ts'

/**
 * The layout in Redis. The text in braces selects the cluster node: all keys of one script have the same text in
 * braces.
 *
 *     fish:schema                              version of this layout
 *     fish:item:{user}:user:alice              an item; the first part of its key is in the braces
 *     fish:index:{user}                        sorted set: the keys of these items, for listings in order
 *     fish:{17}:owner:ID:about                 hash: last sequence of the owner; for each collection, its last sequence
 *                                              and version; or `removed`
 *     fish:{17}:owner:ID:tokens                hash: dedupe key to record id
 *     fish:{17}:owner:ID:records:fish:earth    stream: the records of a collection
 *     fish:{17}:owner:ID:reduced:fish:earth    sorted set: the records that lost entries
 *     fish:{17}:owner:ID:ids:fish:earth        hash: record id to sequence
 *     fish:{17}:owner:ID:species:fish:earth    hash: `[name, label]` as JSON to its count, first time, last time and mark
 *     fish:{17}:owner:ID:days:fish:earth       hash: UTC day and label, such as `2026-01-31 Gold`, to its count
 *     fish:{17}:owner:ID:tallies               hash: `fish:earth:LABEL` to its count, without a label for all entries
 *     fish:{17}:tallies                        hash: the same, of all owners in this bucket
 *     fish:{17}:leaders:fish[:earth]           sorted set: owner to the negative of its count
 *     fish:{17}:windows:KIND                   hash that expires: open windows
 *     fish:{17}:probe                          text that expires: tests whether writes are accepted
 *
 * Owners are spread over buckets, so that sums change in the same script as the records, and a cluster shares the load.
 */
const PREFIX = 'fish:'

/** Base of unstorage's driver. The driver puts this base and a `:` before each key. */
export const ITEM_BASE = `${PREFIX}item`

/**
 * The channel of signals. All databases of a server share its channels, but signals about unknown owners are harmless.
 */
export const CHANGES_CHANNEL = `${PREFIX}changes`

export const SCHEMA_KEY = `${PREFIX}schema`

const INDEX = `${PREFIX}index:`

export const INDEX_PATTERN = `${INDEX}*`

// Braces inside a key would end the hash tag early. Items with the same tag share an index, which is harmless, because
// the index contains whole keys.
function tagOf(itemKey: string): string {
  return `{${itemKey.split(':', 1)[0]?.replace(/[{}]/g, '_')}}`
}

/** The key of an item for unstorage's driver, without {@link ITEM_BASE}. */
export function unstorageKey(itemKey: string): string {
  return `${tagOf(itemKey)}:${itemKey}`
}

export function itemPrefix(base: string): string {
  return `${ITEM_BASE}:${tagOf(base)}:`
}

export function indexKey(base: string): string {
  return INDEX + tagOf(base)
}

/** Encodes text so that lone surrogates are preserved: in UTF-8, a lone surrogate would become another character. */
export function encodeText(text: string): string {
  return text.isWellFormed() ? `=${text}` : `~${JSON.stringify(text)}`
}

/** Number of buckets. This number is part of the layout, so it never changes. */
export const BUCKETS = 64

function bucketOf(text: string): number {
  // FNV-1a (draft-eastlake-fnv), over UTF-16 units.
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % BUCKETS
}

/** The name of a kind or a collection follows the prefix in `leaders`. */
function keysOfBucket(bucket: number) {
  const prefix = `${PREFIX}{${bucket}}:`
  return { tallies: `${prefix}tallies`, leaders: `${prefix}leaders:`, probe: `${prefix}probe` }
}

export function allBuckets() {
  return Array.from({ length: BUCKETS }, (_, bucket) => keysOfBucket(bucket))
}

export function ownerKeys(owner: string) {
  const bucket = bucketOf(owner)
  const prefix = `${PREFIX}{${bucket}}:owner:${encodeKeyPart(owner)}:`
  return {
    prefix,
    about: `${prefix}about`,
    tokens: `${prefix}tokens`,
    tallies: `${prefix}tallies`,
    bucket: keysOfBucket(bucket),
  }
}

/** The name of a collection in keys. Without a gamemode, the name of a kind on leaderboards. */
export function collectionName(kind: string, gamemode?: string): string {
  return gamemode === undefined ? encodeKeyPart(kind) : `${encodeKeyPart(kind)}:${encodeKeyPart(gamemode)}`
}

export function collectionKeys({ owner, kind, gamemode }: Collection) {
  const { prefix, ...keys } = ownerKeys(owner)
  const name = collectionName(kind, gamemode)
  const parts = ['records', 'ids', 'reduced', 'species', 'days'] as const
  const [records = '', ids = '', reduced = '', species = '', days = ''] = parts.map(
    (part) => `${prefix}${part}:${name}`,
  )
  return {
    ...keys,
    name,
    species,
    /** The keys of a collection, in the order of the scripts. */
    collection: [records, ids, reduced, species, days, keys.bucket.leaders + name],
    /** The keys of scripts that change the collection. */
    changes: [keys.about, keys.tallies, keys.bucket.tallies, keys.bucket.leaders + collectionName(kind)],
  }
}

/** Decodes the result of {@link encodeText}. */
export function decodeText(field: string): string {
  return field.startsWith('=') ? field.slice(1) : JSON.parse(field.slice(1))
}

/** The hash and the field of a window. The kind of a window is the text before the first `:` of its key. */
export function windowKeys(key: string): { readonly windows: string; readonly field: string } {
  const [kind = '', ...rest] = key.includes(':') ? key.split(':') : ['', key]
  return { windows: `${PREFIX}{${bucketOf(key)}}:windows:${kind}`, field: encodeText(rest.join(':')) }
}
