/** One collection: all records of one kind that one owner has in one gamemode. */
export interface Collection {
  /** The id of the owner, not the name: a name can be reused, an id cannot. */
  readonly owner: string
  readonly kind: string
  readonly gamemode: string
}

/** An entry of a record, in the form that is stored. */
export interface StoredEntry {
  readonly name: string
  /** A label. @default none */
  readonly rarity?: string
  /** ISO 8601. */
  readonly caughtAt: string
}

/** The number of entries of a record, and their species and days. */
export interface RecordTally {
  /** At least 1. */
  readonly count: number
  /** Number of entries by label, such as a rarity; labels without entries are absent. */
  readonly labels: Readonly<Record<string, number>>
  /** One tally for each name and label. */
  readonly species: readonly SpeciesTally[]
  /** One tally for each day and label. */
  readonly days: readonly DayTally[]
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
  /**
   * The entries as JSON objects joined by commas, without the brackets and without the id of the record. An entry has a
   * `name`, the time `caughtAt` and optionally the label `rarity`. `{"removed":true}` stands for a removed entry.
   */
  readonly entries: string
  /** The tally of the entries, by `tallyOf`. Removed entries are not counted. */
  readonly tally: RecordTally
}

/**
 * A possible change of one collection. Without `kind` and `gamemode`, all collections of the owner may have changed.
 */
export interface Change {
  /** Id of the owner. */
  readonly owner: string
  readonly kind?: string
  readonly gamemode?: string
  /** The id of a record that was removed, or that lost an entry. */
  readonly removed?: string
  /** Index of the entry of the record `removed` that was removed. @default the whole record was removed */
  readonly entry?: number
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
  /** Number of entries without removed entries. Every removal of an entry reduces this number. */
  readonly count: number
  /** The entries as in {@link NewRecord}. A removed entry stays as `{"removed":true}`. */
  readonly entries: string
}

/** A removal of one or all entries of a record. */
export interface RecordRemoval {
  /** The record and its number of entries: if another number of entries remains, nothing is removed. */
  readonly record: Pick<StoredRecord, 'id' | 'count'>
  /** The tally of the removed entries. */
  readonly tally: RecordTally
  /** The removed entry and the rest of the record. @default the whole record is removed */
  readonly remaining?: {
    /** Index of the removed entry. */
    readonly entry: number
    readonly entries: string
    readonly tally: RecordTally
  }
}

/** A move of a record to another gamemode. */
export interface RecordMove {
  /** The record and its number of entries: if another number of entries remains, nothing is moved. */
  readonly record: Pick<StoredRecord, 'id' | 'count'>
  /** The tally of the record. */
  readonly tally: RecordTally
  /** Another gamemode. */
  readonly gamemode: string
}

/** A token of an owner: the record with this id was stored for it. */
export interface UsedToken {
  readonly dedupeKey: string
  readonly id: string
}

/** A write of an owner, with all data to store the write again. */
export type DumpedWrite =
  | { readonly collection: Collection; readonly record: NewRecord }
  /** A token whose record was removed. The token stays used. */
  | { readonly token: UsedToken }

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
 * Number of entries of one name and label in a collection or record. The times of the first and the last entry are in Unix
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
 * Maximum number of returned species of a collection. Names are free text: without a maximum, one player could have
 * millions of species.
 */
export const MAX_SPECIES = 10_000

/** Number of entries of one day and label in a collection. */
export interface DayTally {
  /** In UTC, such as `2026-01-31`. */
  readonly day: string
  /** `null`: entries without a label. */
  readonly label: string | null
  /** At least 1. */
  readonly count: number
}

/** Maximum number of returned days of a collection. */
export const MAX_DAYS = 10_000

/** The counts of a collection. The lists are not sorted. */
export interface CollectionTallies {
  /** Number of all entries. */
  readonly count: number
  /** `null` if there are more than {@link MAX_SPECIES} species. */
  readonly species: readonly SpeciesTally[] | null
  /** `null` if there are more than {@link MAX_DAYS} days. */
  readonly days: readonly DayTally[] | null
}

/** A species as a driver stores it. */
export interface StoredSpecies extends Omit<SpeciesTally, 'first' | 'last'> {
  /** Unix time in milliseconds. With a `mark`, only of the entries that were added after the mark; `null` without any. */
  readonly first: number | null
  readonly last: number | null
  /**
   * Text that every removal of a first or last entry replaces: the first and last time are unknown. `null`: both times are
   * known.
   */
  readonly mark: string | null
}

/** The tallies of a collection as a driver stores them. */
export interface StoredTallies extends Omit<CollectionTallies, 'species'> {
  readonly species: readonly StoredSpecies[] | null
}

/** The first and last time of a species, and the mark for which these times were found. */
export interface FoundTimes extends Pick<SpeciesTally, 'name' | 'label' | 'first' | 'last'> {
  readonly mark: string
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
   * Calls the listeners of `onChange` in every process, as if any collection of the owner may have changed. Like every
   * call of a listener, this call may come late or never.
   */
  signalChange(owner: string): Promise<void>
  /** The record with this id in a collection, if it exists. */
  findById(collection: Collection, id: string): Promise<StoredRecord | undefined>
  /**
   * Removes one or all entries of a record, and returns whether they were removed. The `dedupeKey` of the record stays
   * used: a repeated append returns the same id and stores nothing.
   */
  removeEntriesIf(collection: Collection, removal: RecordRemoval): Promise<boolean>
  /**
   * Moves one record to another gamemode of its owner, behind the newest record of that gamemode, and returns whether it
   * was moved. The id, entries and times of the record stay, and its `dedupeKey` stays used.
   */
  moveRecordIf(collection: Collection, move: RecordMove): Promise<boolean>
  /** Marks a token as used without storing a record. Does nothing if the owner has used the token. */
  useToken(owner: string, token: UsedToken): Promise<void>
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
   * The species and days of a collection, consistent with its records. A driver may compute them from the tallies of the
   * records, or store their sums with each change of a record. A species whose first or last entry is removed gets a
   * new mark, unless its last entry is removed: such a species is absent.
   */
  collectionTallies(collection: Collection): Promise<StoredTallies>
  /**
   * Stores times of species whose marks are the given marks, and removes these marks. @default the driver returns no marks
   */
  setTimes?(collection: Collection, times: readonly FoundTimes[]): Promise<void>
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
export interface FishStorage
  extends Omit<StorageExtension, 'removeEntriesIf' | 'moveRecordIf' | 'collectionTallies' | 'setTimes'> {
  /** Users, keys and settings: plain items under encoded keys. */
  readonly items: ItemStorage
  /** Name of the driver. */
  readonly driver: string
  remainingReserve(): number
  /** Removes one record, and returns it. Its `dedupeKey` stays used. `undefined`: the record does not exist. */
  removeRecord(collection: Collection, id: string): Promise<StoredRecord | undefined>
  /**
   * Removes the entry with this index from a record. The other entries keep their indexes, and the record keeps its id.
   * A record without entries is removed.
   */
  removeEntry(collection: Collection, id: string, index: number): Promise<EntryRemoval>
  /**
   * Moves one record to another gamemode of its owner, behind the newest record of that gamemode. Returns the number of
   * its entries, or 0 if the record does not exist. A repeated move changes nothing and returns the same number.
   */
  moveRecord(collection: Collection, id: string, gamemode: string): Promise<number>
  /**
   * The species and days of a collection, consistent with its records. Takes time in proportion to the result, except for
   * the first read after a removal of a first or last entry: it reads the records to find the times of these species.
   */
  collectionTallies(collection: Collection): Promise<CollectionTallies>
  /** The same storage, whose operations call an observer. */
  observedBy(observer: StorageObserver): FishStorage
  /** Finishes running operations and releases all resources. */
  dispose(): Promise<void>
}

/** Watches the operations of a storage. */
export interface StorageObserver {
  /** Runs before each operation except `ping`, and before each chunk of a read. The operation fails with its error. */
  check?(): void
  /** Runs after each operation. A read is one operation, without the time that the reader takes. */
  observe?(observation: { readonly operation: string; readonly seconds: number; readonly failed: boolean }): void
}

/** Outcome of the removal of an entry. */
export type EntryRemoval =
  | { readonly outcome: 'removed'; readonly entry: StoredEntry }
  | { readonly outcome: 'record_not_found' }
  /** The record has no entry with this index, or the entry was removed. */
  | { readonly outcome: 'entry_not_found' }
