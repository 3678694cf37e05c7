import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The fault of the n-th call that changes a file: the call fails with EIO or ENOSPC, or writes only half of the data.
 */
export type Fault = 'eio' | 'enospc' | 'short'

/** Environment variables that inject faults into a server process. */
export type Faulty = Readonly<Record<string, string>>

/** Builds the library that injects faults from faults.c. @param folder the target folder */
export function buildFaults(folder: string) {
  const library = join(folder, 'faults.so')
  const source = fileURLToPath(new URL('faults.c', import.meta.url))
  execFileSync('cc', ['-O1', '-shared', '-fPIC', '-o', library, source, '-ldl'], { stdio: 'pipe' })
  return {
    /** Lets the n-th call that changes a file in `data` fail. `isHit` returns whether there was an n-th call. */
    failing(data: string, fault: Fault, n: number): { readonly env: Faulty; isHit(): boolean } {
      const hit = join(folder, `hit-${fault}-${n}`)
      const env = { LD_PRELOAD: library, FISH_FOLDER: data, FISH_FAULT: `${fault}:${n}`, FISH_FAULT_HIT: hit }
      return { env, isHit: () => existsSync(hit) }
    },

    /** Records every change of a file in `data`. */
    recording(data: string): { readonly env: Faulty; changes(): readonly Change[] } {
      const file = join(folder, 'writes')
      const env = { LD_PRELOAD: library, FISH_FOLDER: data, FISH_WRITES: file }
      return { env, changes: () => parseChanges(readFileSync(file)) }
    },

    /** Sets the clock of the server ahead of the system clock. */
    clock(): { readonly env: Faulty; setAhead(seconds: number): void } {
      const { file, set } = numberFile(join(folder, 'clock'))
      return { env: { LD_PRELOAD: library, FISH_CLOCK: file }, setAhead: set }
    },

    /** Lets every call that changes a file in `data` fail while the disk is read-only. */
    readOnly(data: string): { readonly env: Faulty; setReadOnly(isReadOnly: boolean): void } {
      const { file, set } = numberFile(join(folder, 'read-only'))
      const env = { LD_PRELOAD: library, FISH_FOLDER: data, FISH_READ_ONLY: file }
      return { env, setReadOnly: (isReadOnly) => set(isReadOnly ? 1 : 0) }
    },
  }
}

/** Creates a file with a number that the test can change while the server reads it. */
function numberFile(file: string): { readonly file: string; set(value: number): void } {
  writeFileSync(file, Buffer.alloc(8))
  const set = (value: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt(value))
    writeFileSync(file, bytes, { flag: 'r+' })
  }
  return { file, set }
}

/** A change of a file, or a flush of all earlier changes of a file. */
export interface Change {
  /** Unix time in milliseconds. */
  readonly at: number
  readonly kind: 'write' | 'flush' | 'truncate' | 'rename' | 'unlink'
  /**
   * The name of the file. An empty name means the folder. A flush of the folder makes renames and deletions durable.
   */
  readonly name: string
  readonly offset: number
  /** The length of the written bytes, or the new length of a truncated file. */
  readonly length: number
  /** The written bytes, or the new name of a renamed file. */
  readonly bytes: Buffer
}

const KINDS = { w: 'write', f: 'flush', t: 'truncate', r: 'rename', u: 'unlink' } as const

/** Parses the layout of `struct record` in faults.c. */
function parseChanges(log: Buffer): readonly Change[] {
  const changes: Change[] = []
  for (let at = 0; at + 64 <= log.length; ) {
    const number = (index: number) => Number(log.readBigInt64LE(at + 8 * index))
    const [letter = '', name = ''] = [log.toString('latin1', at + 24, at + 25), log.toString('utf8', at + 25, at + 64)]
    const kind = KINDS[letter as keyof typeof KINDS]
    const length = number(2)
    const end = at + 64 + (kind === 'write' || kind === 'rename' ? length : 0)
    const bytes = log.subarray(at + 64, end)
    changes.push({ at: number(0) / 1000, kind, name: name.replace(/\0+$/, ''), offset: number(1), length, bytes })
    at = end
  }
  return changes
}

const SECTOR = 512

/**
 * Returns the files after a simulated power cut. Flushed changes survive. Each later change survives at random, and a
 * surviving write may be cut at a sector.
 *
 * @param until the time of the cut: Unix time in milliseconds
 * @param random returns a number between 0 and 1
 */
export function cutPower(changes: readonly Change[], until: number, random: () => number): ReadonlyMap<string, Buffer> {
  const before = changes.filter(({ at }) => at <= until)
  const flushed = new Map<string, number>()
  for (const [index, { kind, name }] of before.entries()) if (kind === 'flush') flushed.set(name, index)
  const files = new Map<string, FileContent>()
  for (const [index, change] of before.entries()) {
    const { kind, name, bytes } = change
    const isOfFolder = kind === 'rename' || kind === 'unlink'
    const isSafe = index < (flushed.get(isOfFolder ? '' : name) ?? -1)
    if (kind === 'flush' || (!isSafe && random() < 0.5)) continue
    const file = files.get(name) ?? new FileContent()
    if (isOfFolder) files.delete(name)
    else files.set(name, file)
    if (kind === 'rename') files.set(bytes.toString(), file)
    if (kind === 'truncate') file.truncate(change.length)
    if (kind === 'write') file.write(!isSafe && random() < 0.3 ? tear(bytes, random) : bytes, change.offset)
  }
  return new Map([...files].map(([name, file]) => [name, file.bytes]))
}

const tear = (bytes: Buffer, random: () => number) =>
  bytes.subarray(0, SECTOR * Math.floor((random() * bytes.length) / SECTOR))

class FileContent {
  #room = Buffer.alloc(4096)
  #length = 0

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length)
  }

  write(bytes: Buffer, offset: number): void {
    this.#resize(Math.max(this.#length, offset + bytes.length))
    bytes.copy(this.#room, offset)
  }

  truncate(length: number): void {
    this.#room.fill(0, Math.min(length, this.#length))
    this.#resize(length)
  }

  #resize(length: number): void {
    if (length > this.#room.length)
      this.#room = Buffer.concat([this.#room, Buffer.alloc(2 * length - this.#room.length)])
    this.#length = length
  }
}

export function writeFiles(folder: string, files: ReadonlyMap<string, Buffer>): void {
  mkdirSync(folder)
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes)
}
