// This file may import only `node:` modules and relative files, because the writer thread runs it without a build.
import { closeSync, existsSync, fsyncSync, openSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createPrivateFile } from '../../../../sdk/src/internal/files.node.ts'
import { STORE_FILE } from './store-file.ts'

const RESERVE_FILE = 'fish.reserve'

/** Size of the reserve in bytes: the size at which SQLite starts to reuse its write-ahead log. */
const RESERVE_BYTES = 16 * 1024 * 1024
/** On a small disk, the reserve takes at most this share of the disk. */
const MAX_SHARE = 1 / 8
/** The reserve is released in this number of parts. */
const PARTS = 8
/**
 * `hasRoom` requires this share of the half for the database. A removal uses a few pages before it frees others, and
 * those pages never return to the disk.
 */
const COMPLETE = 3 / 4
/** Maximum size of one write, in bytes. Larger than the window in which file systems compress. */
const BLOCK_BYTES = 1024 * 1024
/** Minimum space for a catch, in bytes: the size of the largest write. */
const MIN_FREE_BYTES = 256 * 1024

export type Reserve = ReturnType<typeof openReserve>

/**
 * Opens the reserve of a data folder: a file that takes disk space away from other programs, so that a full disk stops
 * catches, but not logins, key readings and removals. When such a write finds no space, a part of the file is cut off.
 *
 * One half is for SQLite's write-ahead log, which SQLite reuses, so an existing log counts as a part of this half. The
 * other half is for growth of the database.
 */
export function openReserve(folder: string) {
  const file = join(folder, RESERVE_FILE)
  const log = `${join(folder, STORE_FILE)}-wal`
  const disk = statfsSync(folder)
  const wanted = Math.floor(Math.min(RESERVE_BYTES, disk.blocks * disk.bsize * MAX_SHARE))
  const ofDatabase = (wanted / 2) * COMPLETE
  let size = statSync(file, { throwIfNoEntry: false })?.size ?? 0

  function freeBytes(): number {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  }

  /** The bytes that the log still needs. */
  function missingLog(): number {
    return Math.max(0, wanted / 2 - (statSync(log, { throwIfNoEntry: false })?.size ?? 0))
  }

  function resize(bytes: number): void {
    truncateSync(file, bytes)
    size = bytes
  }

  function append(bytes: number): void {
    const handle = openSync(file, 'r+')
    try {
      // A file system may store zeros without taking space. The module loads here, because few starts fill the reserve.
      const block = process.getBuiltinModule('node:crypto').randomBytes(Math.min(bytes, BLOCK_BYTES))
      const end = size + bytes
      while (size < end) size += writeSync(handle, block, 0, Math.min(block.length, end - size), size)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  }

  return {
    /** Whether the disk may soon lack space for a whole log, so that SQLite has to reuse its log after each write. */
    isNeeded: (): boolean => freeBytes() < RESERVE_BYTES + wanted,

    /** The unused share of the half for the database, from 0 to 1. */
    remaining: (): number => Math.max(0, Math.min(1, (size + freeBytes() - missingLog()) / ofDatabase)),

    /**
     * Whether the reserve is complete and there is space for catches.
     * @param storeBytes the unused space in the database
     */
    hasRoom(storeBytes: number): boolean {
      const free = freeBytes()
      const spare = size + free - missingLog() - ofDatabase
      return spare >= 0 && Math.min(free, spare) + storeBytes >= MIN_FREE_BYTES
    },

    /** Fills the reserve if the disk has space for the rest of it and for a catch. */
    fill(): void {
      const rest = Math.floor(wanted / 2 + missingLog() - size)
      if (rest <= 0 || freeBytes() < rest + MIN_FREE_BYTES) return
      const before = size
      try {
        createPrivateFile(file)
        append(rest)
      } catch {
        // Another program was faster, or the disk has no space for another file.
        if (existsSync(file)) resize(before)
      }
    },

    /** Releases a part of the reserve. Returns `false` if nothing is left. */
    release(): boolean {
      if (size === 0) return false
      resize(Math.max(0, size - Math.ceil(wanted / PARTS)))
      return true
    },
  }
}
