/** One collection: all records of one kind that one owner has in one gamemode. */
export interface Collection {
  /** The owner's id, never its name: a name can be given anew, an id cannot. */
  readonly owner: string
  readonly kind: string
  readonly gamemode: string
}

/** One write, as it is stored: the ready JSON of its entries, in both shapes that reads return. */
export interface NewRecord {
  /** Unique id of the record. */
  readonly id: string
  /** What makes the write unique among its owner's: the same value is stored once. `null`: every write is stored. */
  readonly dedupeKey: string | null
  /** How many entries the record holds, at least 1. */
  readonly count: number
  /** How many of the entries carry which label, such as a rarity; labels that none carries are absent. */
  readonly labels: Readonly<Record<string, number>>
  /** The entries as JSON objects joined by commas, without the brackets. */
  readonly plain: string
  /** The same entries in full, in the same form. */
  readonly full: string
}

/** Outcome of an append. */
export type AppendResult =
  /** Stored, and as durable as the driver makes it. */
  | { readonly outcome: 'stored'; readonly id: string }
  /** Not stored: a record with the same `dedupeKey` was, and this is its id. */
  | { readonly outcome: 'replayed'; readonly id: string }
  /** Not stored: the owner was removed. */
  | { readonly outcome: 'owner_removed' }

/** The two ready forms of a record. */
export type RecordForm = 'plain' | 'full'

/** A stored record as a read yields it. `sequence` grows with every record of a collection, with gaps. */
export interface StoredRecord {
  readonly sequence: number
  readonly count: number
  readonly entries: string
}

/** Start and size of a read. */
export interface ReadRange {
  /** Yield records whose sequence is at least this. @default 0 */
  readonly from?: number
  /** Stop once the yielded records hold at least this many entries. @default all */
  readonly entries?: number
}

/** A fixed window that counts what happens under a key. */
export interface CountWindow {
  /** Length of the window in milliseconds, from the first count. */
  readonly durationMs: number
  /** Counting stops here: a count above `limit` is reported as `limit + 1` and no longer grows. */
  readonly limit: number
  /** Unix time in milliseconds. */
  readonly now: number
  /**
   * 1 counts an event. -1 takes one back that was counted within the limit: it opens no window, and one that is left
   * without any event is closed.
   * @default 1
   */
  readonly by?: 1 | -1
}

/** Count of events in the current window, this one included, and the end of the window. */
export interface WindowCount {
  readonly count: number
  /** Unix time in milliseconds. */
  readonly resetAt: number
}

/** How many entries of one kind and gamemode are stored, by all owners together. */
export interface Tally {
  readonly kind: string
  readonly gamemode: string
  /** The label that they carry; `null`: all entries, with or without labels. */
  readonly label: string | null
  /** At least 1: a count of 0 has no tally. */
  readonly count: number
}

/** Range of a leader board. */
export interface LeaderRange {
  readonly kind: string
  /** @default all gamemodes together */
  readonly gamemode?: string | undefined
  /** Most owners to name, at least 1. */
  readonly limit: number
}

/** An owner on a leader board, and how many entries it has: at least 1. */
export interface Leader {
  readonly owner: string
  readonly count: number
}

/** One page of items in the order of their keys. */
export interface ItemPage {
  readonly items: readonly { readonly key: string; readonly value: string }[]
  /** The `after` of the next page; absent on the last one. */
  readonly next?: string
}

/** A range of items. */
export interface ItemRange {
  /** Beginning of the keys, up to and including a `:`. */
  readonly base: string
  /** Start after this key. @default the first */
  readonly after?: string
  readonly limit: number
  /** Only keys that contain this after `base`. */
  readonly contains?: string
}

/**
 * What the service needs of a storage beyond items, each operation atomic and, where it writes,
 * durable before its promise settles. A rejected write was not acknowledged: it may be repeated, never counted on.
 */
export interface StorageExtension {
  /** What an acknowledgement means, as a sentence for the operator. */
  readonly durability: string
  /** Warnings for the operator, each a sentence. @default none */
  readonly warnings?: readonly string[]
  /**
   * Rejects when the storage is out of reach, or takes no writes: it tries a small one, at most once a second, which no other
   * operation can see.
   */
  ping(): Promise<void>
  /** Stores a record once per `dedupeKey` of its owner, whichever collection it went to. */
  append(collection: Collection, record: NewRecord): Promise<AppendResult>
  /** The id of the record that was stored under this key, if any. */
  findRecord(owner: string, dedupeKey: string): Promise<string | undefined>
  /** The records of a collection, oldest first, in chunks of bounded size. */
  read(collection: Collection, form: RecordForm, range?: ReadRange): AsyncIterable<readonly StoredRecord[]>
  /**
   * Opaque text that changes with every change of a collection's content, its owner's removal included, and never
   * comes again for another content: not after a restart, in another process or on a restored backup. It holds no
   * quotation mark, so an ETag can be made of it. A reader takes it BEFORE reading: what it then reads is that
   * content or a newer one, so nothing stale is ever kept under a current version.
   */
  version(collection: Collection): Promise<string>
  /**
   * Removes one record and returns whether it existed. Its token stays used: sent again, it returns the same id and stores
   * nothing.
   */
  removeRecord(collection: Collection, id: string): Promise<boolean>
  /** Removes all that belongs to an owner, for good: a later append returns `owner_removed`. */
  removeOwner(owner: string): Promise<void>
  /** All tallies, in no order. They change together with the records, and cost what the result holds. */
  tallies(): Promise<readonly Tally[]>
  /** The owners with the most entries, best first, ties by owner id ascending. Costs what the result holds. */
  leaders(range: LeaderRange): Promise<readonly Leader[]>
  /** Stores an item only when its key is free, and returns whether it did. */
  setItemIfAbsent(key: string, value: string): Promise<boolean>
  /** Removes an item only when it still has this value, and returns whether it did. */
  removeItemIf(key: string, value: string): Promise<boolean>
  /** Replaces an item's value only when it still is `expected`, and returns whether it did. */
  replaceItemIf(key: string, expected: string, value: string): Promise<boolean>
  /** Items in the order of their keys. Costs what the page holds, not what the storage does. */
  listItems(range: ItemRange): Promise<ItemPage>
  /** How many items a listing of this base would find in all, from a counter rather than by looking. */
  countItems(base: string): Promise<number>
  /**
   * Counts one event, opening a window when none is open. Never takes an exhausted window away before its end, and
   * keeps keys apart by what stands before their first `:`, so that a flood of one kind takes no room from another.
   */
  countInWindow(key: string, window: CountWindow): Promise<WindowCount>
  /**
   * The current count without counting. `count` is 0 when no window is open, and `limit + 1` when a new key would be
   * counted as exhausted because there is no room for it.
   */
  peekWindow(key: string, window: CountWindow): Promise<WindowCount>
}

/**
 * What the service needs of an unstorage driver. The types of unstorage itself would bring the declarations of all its
 * drivers, which do not compile where their libraries are missing.
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

type ItemValue = null | string | number | boolean | object

/** Items under keys: what the service uses of an unstorage storage. */
export interface ItemStorage {
  hasItem(key: string): Promise<boolean>
  /** The very string that was set; `null` where there is none. */
  getItem(key: string): Promise<string | null>
  setItem(key: string, value: string): Promise<void>
  removeItem(key: string): Promise<void>
  /** The keys that begin with `base`. @default all */
  getKeys(base?: string): Promise<string[]>
  /** Removes what stands under `base`. @default all */
  clear(base?: string): Promise<void>
}

/** An unstorage driver that has what the service needs as well. */
export interface StorageDriver extends ItemDriver, StorageExtension {}

/** The storage of the service: items through unstorage, the rest through the extension. */
export interface FishStorage extends StorageExtension {
  /** Users, keys and settings: plain items under encoded keys. */
  readonly items: ItemStorage
  /** Name of the driver. */
  readonly driver: string
  /** Finishes what is under way and releases everything. */
  dispose(): Promise<void>
}
