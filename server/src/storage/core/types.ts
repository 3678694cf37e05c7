/** One collection: all records of one kind that one owner has in one gamemode. */
export interface Collection {
  /** The id of the owner, not the name: a name can be reused, an id cannot. */
  readonly owner: string
  readonly kind: string
  readonly gamemode: string
}

/** One write, in the stored form. */
export interface NewRecord {
  /** Unique id of the record. */
  readonly id: string
  /**
   * If several writes of one owner have the same `dedupeKey`, only one of these writes is stored. `null`: the write is
   * always stored.
   */
  readonly dedupeKey: string | null
  /** The number of entries of the record, at least 1. */
  readonly count: number
  /** Number of entries by label, such as a rarity; labels without entries are absent. */
  readonly labels: Readonly<Record<string, number>>
  /**
   * The entries as JSON objects joined by commas, without the brackets and without the id of the record. An entry with
   * `name`, the time `caughtAt` and optionally the label `rarity` is counted by
   * {@link StorageExtension.collectionTallies}.
   */
  readonly entries: string
}

/**
 * A possible change of one collection. Without `kind` and `gamemode`, all collections of the owner may have changed.
 */
export interface Change {
  /** Id of the owner. */
  readonly owner: string
  readonly kind?: string
  readonly gamemode?: string
  /** The id of a record that was removed. */
  readonly removed?: string
}

/** The version of every collection of a removed owner. */
export const REMOVED_VERSION = 'removed'

/** Outcome of an append. */
export type AppendResult =
  /** The record is stored, with the durability of the driver. */
  | { readonly outcome: 'stored'; readonly id: string }
  /** The record was not stored, because the record with this id has the same `dedupeKey`. */
  | { readonly outcome: 'replayed'; readonly id: string }
  /** The record was not stored, because its owner was removed. */
  | { readonly outcome: 'owner_removed' }

/**
 * A stored record. `sequence` increases with every record of an owner, possibly with gaps. No record of a collection
 * becomes visible after a record with a higher sequence.
 */
export interface StoredRecord {
  readonly sequence: number
  readonly id: string
  readonly count: number
  readonly entries: string
}

/** The entries of a record that was removed. */
export type RemovedRecord = Pick<StoredRecord, 'count' | 'entries'>

/** A write of an owner, with all data to store the write again. */
export type DumpedWrite =
  | { readonly collection: Collection; readonly record: NewRecord }
  /** A token whose record was removed. The token stays used. */
  | { readonly token: { readonly dedupeKey: string; readonly id: string } }

/** Start and size of a read. */
export interface ReadRange {
  /** The lowest sequence to read. @default 0 */
  readonly from?: number
  /** Stop after the record that reaches this number of entries. @default all */
  readonly entries?: number
}

/** A fixed window that counts the events of a key. */
export interface CountWindow {
  /** Length of the window in milliseconds, from the first count. */
  readonly durationMs: number
  /** The count stops at `limit + 1`, which stands for any count above `limit`. */
  readonly limit: number
  /** The current Unix time in milliseconds. */
  readonly now: number
  /**
   * `1` counts an event. `-1` reverts an event that was counted within the limit. A revert opens no window, and closes
   * the window if no other event is counted in the window.
   * @default 1
   */
  readonly by?: 1 | -1
}

/** The count of events in the current window after the call, and the end of the window. */
export interface WindowCount {
  /** Number of events in the window. */
  readonly count: number
  /** End of the window, as Unix time in milliseconds. */
  readonly resetAt: number
}

/** The number of windows of one kind that a storage holds. */
export const WINDOWS_PER_KIND = 100_000

/** Number of stored entries of one kind and gamemode, of all owners. */
export interface Tally {
  readonly kind: string
  readonly gamemode: string
  /** The label of these entries. `null` stands for all entries, with or without labels. */
  readonly label: string | null
  /** At least 1: a count of 0 has no tally. */
  readonly count: number
}

/**
 * Number of entries of one name and label in a collection. The times of the first and the last entry are in Unix
 * milliseconds.
 */
export interface SpeciesTally {
  readonly name: string
  /** `null`: entries without a label. */
  readonly label: string | null
  /** At least 1. */
  readonly count: number
  /** Unix time in milliseconds. */
  readonly first: number
  /** Unix time in milliseconds. */
  readonly last: number
}

/**
 * Maximum number of counted species of a collection. Names are free text: without a maximum, one player could have
 * millions of species.
 */
export const MAX_SPECIES = 10_000

/** Number of entries in a collection that were caught on a day. */
export interface DayTally {
  /** In UTC, such as `2026-01-31`. */
  readonly day: string
  /** At least 1. */
  readonly count: number
}

/** Maximum number of counted days of a collection. */
export const MAX_DAYS = 10_000

/** The counts of a collection. The lists are not sorted. */
export interface CollectionTallies {
  /** `null` if there are more than {@link MAX_SPECIES} species. */
  readonly species: readonly SpeciesTally[] | null
  /** `null` if there are more than {@link MAX_DAYS} days. */
  readonly days: readonly DayTally[] | null
}

/** Range of a leaderboard. */
export interface LeaderRange {
  /** `fish` or `crab` in this service; a driver accepts any text. */
  readonly kind: string
  /** @default all gamemodes together */
  readonly gamemode?: string | undefined
  /** Maximum number of owners, at least 1. */
  readonly limit: number
}

/** An owner on a leaderboard, with the number of entries of that owner. */
export interface Leader {
  /** Id of the owner. */
  readonly owner: string
  /** Number of entries, at least 1. */
  readonly count: number
}

/** One page of items in the order of their keys. */
export interface ItemPage {
  readonly items: readonly { readonly key: string; readonly value: string }[]
  /** The value of `after` for the next page. Absent on the last page. */
  readonly next?: string
}

/** A range of items. */
export interface ItemRange {
  /** Prefix of the keys, up to and including a `:`. */
  readonly base: string
  /** Start after this key. @default start at the first key */
  readonly after?: string
  /** Maximum number of items, at least 1. */
  readonly limit: number
  /** Return only keys that contain this text, encoded by `encodeKeyPart`, after `base`. */
  readonly contains?: string
}

/**
 * The operations of a storage besides items. Each operation is atomic, and a write is durable before its promise
 * resolves. A rejected write may or may not be stored, and can be repeated.
 */
export interface StorageExtension {
  /** A sentence for the operator: the failures that an acknowledged write survives. */
  readonly durability: string
  /** Warnings for the operator, each a sentence. @default none */
  readonly warnings?: readonly string[]
  /**
   * Rejects when the storage is unreachable or refuses writes. Tries a small write at most once a second. The write is
   * invisible to other operations.
   */
  ping(): Promise<void>
  /**
   * The share of the space for administration that is unused, from 0 to 1. A driver that runs out of space for records
   * may set such space aside, so that logins, key readings and removals continue. @default 1
   */
  remainingReserve?(): number
  /** Stores a record, unless its owner has already used the `dedupeKey` in any collection. */
  append(collection: Collection, record: NewRecord): Promise<AppendResult>
  /** The id of the record that was stored with this `dedupeKey`, if any. */
  findRecord(owner: string, dedupeKey: string): Promise<string | undefined>
  /** The records of a collection, oldest first, in chunks of bounded size. */
  read(collection: Collection, range?: ReadRange): AsyncIterable<readonly StoredRecord[]>
  /**
   * Returns opaque text that changes whenever the content of a collection changes. A version is never reused for other
   * content, even after a restart, in another process or on a restored backup. A version contains no quotation mark, so
   * that it can be part of an ETag. After the removal of the owner, the version is {@link REMOVED_VERSION}. Call
   * `version` BEFORE reading: the content read afterwards has this version or a newer version, so no stale content is
   * cached under a current version.
   */
  version(collection: Collection): Promise<string>
  /**
   * The last records of a collection, at most `count` of them, the newest first. Every later record has a higher
   * sequence than the first record of the result.
   */
  latest(collection: Collection, count: number): Promise<readonly StoredRecord[]>
  /**
   * Calls the listener when a collection may have changed, in this process or another process. A call without an
   * argument means that any collection may have changed. A call is a hint, and may come late, repeatedly or never. Only
   * `version` and `read` are authoritative.
   * @returns a function that removes the listener
   */
  onChange(listener: (change?: Change) => void): () => void
  /**
   * Removes one record and returns its entries, or `undefined` if the record does not exist. The `dedupeKey` of the
   * record stays used: a repeated append returns the same id and stores nothing.
   */
  removeRecord(collection: Collection, id: string): Promise<RemovedRecord | undefined>
  /**
   * Moves one record to another gamemode of its owner, behind the newest record of that gamemode. Returns the number of
   * its entries, or 0 if the record does not exist. A repeated move changes nothing and returns the same number. The
   * id, entries and times of the record stay, and its `dedupeKey` stays used.
   */
  moveRecord(collection: Collection, id: string, gamemode: string): Promise<number>
  /**
   * Removes all data of an owner permanently: later appends return `owner_removed`. Until the promise resolves, reads
   * of the owner may return a part of the data. An interrupted call can be repeated.
   */
  removeOwner(owner: string): Promise<void>
  /**
   * Yields all writes of an owner: the records of each collection, oldest first, then the tokens of removed records.
   * Call `dump` only while no server runs: a dump holds all tokens of the owner in memory, and may miss or repeat
   * records that move during the dump.
   */
  dump(owner: string): AsyncIterable<readonly DumpedWrite[]>
  /** All tallies, in any order, consistent with the records. Takes time in proportion to the result. */
  tallies(): Promise<readonly Tally[]>
  /**
   * The species and days of a collection, consistent with its records. Takes time in proportion to the result, except for
   * the first read after a removal, which counts the records.
   */
  collectionTallies(collection: Collection): Promise<CollectionTallies>
  /**
   * The owners with the most entries, highest count first. Ties are ordered by owner id. Takes time in proportion to
   * the result.
   */
  leaders(range: LeaderRange): Promise<readonly Leader[]>
  /** Stores an item if its key does not exist, and returns whether the item was stored. */
  setItemIfAbsent(key: string, value: string): Promise<boolean>
  /** Removes an item if it has this value, and returns whether the item was removed. */
  removeItemIf(key: string, value: string): Promise<boolean>
  /** Replaces the value of an item if the value is `expected`, and returns whether the value was replaced. */
  replaceItemIf(key: string, expected: string, value: string): Promise<boolean>
  /** Items in the order of their keys. Takes time in proportion to the page, not to the storage. */
  listItems(range: ItemRange): Promise<ItemPage>
  /** Number of items under this base, from a counter instead of a scan. */
  countItems(base: string): Promise<number>
  /**
   * Counts one event, and opens a window if none is open. Never evicts an exhausted window before its end. The number
   * of windows is limited per kind, the part of the key before the first `:`, so that a flood of one kind does not
   * evict windows of other kinds.
   */
  countInWindow(key: string, window: CountWindow): Promise<WindowCount>
  /**
   * Returns the current count without counting an event. `count` is 0 if no window is open. `count` is `limit + 1` if
   * all windows of this kind are exhausted, because then a new key counts as exhausted.
   */
  peekWindow(key: string, window: CountWindow): Promise<WindowCount>
}

/**
 * The operations of an unstorage driver that the service uses. The types of unstorage itself would import the declarations
 * of all its drivers, which do not compile without their libraries.
 */
export interface ItemDriver {
  readonly name?: string
  hasItem(key: string, options: object): boolean | Promise<boolean>
  getItem(key: string, options?: object): ItemValue | Promise<ItemValue>
  setItem?(key: string, value: string, options: object): void | Promise<void>
  removeItem?(key: string, options: object): void | Promise<void>
  getKeys(base: string, options: object): string[] | Promise<string[]>
  dispose?(): void | Promise<void>
}

/** A value that drivers may return. The service stores only strings. */
type ItemValue = null | string | number | boolean | object

/** Items by key: the operations of an unstorage storage that the service uses. */
export interface ItemStorage {
  /** The exact string that was set, or `null` if the key does not exist. */
  getItem(key: string): Promise<string | null>
  /** Stores a value, durably, and replaces an existing value. */
  setItem(key: string, value: string): Promise<void>
  /** Removes a value, if the key exists. */
  removeItem(key: string): Promise<void>
  /** The keys that start with `base`. @default all */
  getKeys(base?: string): Promise<string[]>
}

/** An unstorage driver with the additional operations of the service. */
export interface StorageDriver extends ItemDriver, StorageExtension {}

/** The storage of the service: items through unstorage, and the other operations of the driver. */
export interface FishStorage extends StorageExtension {
  /** Users, keys and settings: plain items under encoded keys. */
  readonly items: ItemStorage
  /** Name of the driver. */
  readonly driver: string
  remainingReserve(): number
  /** Finishes running operations and releases all resources. */
  dispose(): Promise<void>
}
