import { encodeKeyPart } from '../keys.ts'
import type { Collection } from '../types.ts'

/**
 * Where everything lies in Redis. What stands in braces decides the cluster node: all keys of one script share it.
 *
 *     fish:schema                                  version of this layout
 *     fish:item:{user}:user:alice                  an item; the braces hold the first part of its key
 *     fish:index:{user}                            sorted set: the keys of these items, for listings in order
 *     fish:{owner:ID}:about                        hash: last sequence of each collection; `removed` for a removed owner
 *     fish:{owner:ID}:tokens                       hash: dedupe key to record id
 *     fish:{owner:ID}:records:fish:earth           stream: the records of a collection
 *     fish:window:KEY                              hash that expires: a window that is counted in
 */
const PREFIX = 'fish:'

/** Base of the stock driver, which puts it and a `:` before each key. */
export const ITEM_BASE = `${PREFIX}item`

/** Version of the layout. */
export const SCHEMA_KEY = `${PREFIX}schema`

const INDEX = `${PREFIX}index:`

/** Pattern of the keys of all indexes, for `SCAN`. */
export const INDEX_PATTERN = `${INDEX}*`

// Braces inside would end the hash tag early. Items that come to share a tag share an index of whole keys: no harm.
function tagOf(itemKey: string): string {
  return `{${itemKey.split(':', 1)[0]?.replace(/[{}]/g, '_')}}`
}

/** The key of an item as the stock driver takes it, without {@link ITEM_BASE}. */
export function stockKey(itemKey: string): string {
  return `${tagOf(itemKey)}:${itemKey}`
}

/** What stands before the item keys under a base. */
export function itemPrefix(base: string): string {
  return `${ITEM_BASE}:${tagOf(base)}:`
}

/** The index that holds the keys under a base, or of one item. */
export function indexKey(base: string): string {
  return INDEX + tagOf(base)
}

/** The prefix of the items that an index lists. */
export function itemPrefixOfIndex(index: string): string {
  return `${ITEM_BASE}:${index.slice(INDEX.length)}:`
}

// Redis takes bytes: a lone surrogate would become another character on its way.
function exact(text: string): string {
  return text.isWellFormed() ? `=${text}` : `~${JSON.stringify(text)}`
}

/** What belongs to an owner. */
export function ownerKeys(owner: string) {
  const prefix = `${PREFIX}{owner:${encodeKeyPart(owner)}}:`
  return { prefix, about: `${prefix}about`, tokens: `${prefix}tokens` }
}

/** Name of a collection among its owner's keys, behind their prefix. */
export function collectionName({ kind, gamemode }: Collection): string {
  return `records:${encodeKeyPart(kind)}:${encodeKeyPart(gamemode)}`
}

/** Field of a dedupe key among its owner's tokens. */
export function tokenField(dedupeKey: string): string {
  return exact(dedupeKey)
}

/** The key of a window. */
export function windowKey(key: string): string {
  return `${PREFIX}window:${exact(key)}`
}
