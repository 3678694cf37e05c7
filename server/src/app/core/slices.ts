import { type Slices, yieldToEvents } from '../../storage/core/slices.ts'

export { createSlices, type Slices } from '../../storage/core/slices.ts'

type Compare<Row> = (one: Row, other: Row) => number

/** Sorts by merging, because the sort of the platform would be one long step. */
export async function sortInSlices<Row>(
  rows: Iterable<Row>,
  compare: Compare<Row>,
  slices: Slices,
): Promise<readonly Row[]> {
  let runs: (readonly Row[])[] = []
  for await (const slice of slices(rows)) runs.push(slice.toSorted(compare))
  while (runs.length > 1) {
    const merged: (readonly Row[])[] = []
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare, slices))
    }
    runs = merged
  }
  return runs[0] ?? []
}

async function merge<Row>(
  one: readonly Row[],
  other: readonly Row[],
  compare: Compare<Row>,
  slices: Slices,
): Promise<readonly Row[]> {
  const merged: Row[] = []
  let at = 0
  for await (const slice of slices(one)) {
    for (const row of slice) {
      for (; at < other.length && compare(other[at] as Row, row) < 0; at += 1) merged.push(other[at] as Row)
      merged.push(row)
    }
  }
  return merged.concat(other.slice(at))
}

/** Number of characters that are encoded in one step. */
const SLICE_CHARACTERS = 64 * 1024
/** Number of bytes that are copied in one step. */
const SLICE_BYTES = 1024 * 1024

/** Returns JSON as UTF-8, and lets the platform handle other events while the value is encoded. */
export async function encodeJson(value: object): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const chunks: Uint8Array[] = []
  let text = ''
  for (const part of jsonParts(value)) {
    text += part
    if (text.length < SLICE_CHARACTERS) continue
    chunks.push(encoder.encode(text))
    text = ''
    await yieldToEvents()
  }
  chunks.push(encoder.encode(text))
  return concatenate(chunks)
}

async function concatenate(chunks: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let [at, copied] = [0, 0]
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
    copied += chunk.byteLength
    if (copied < SLICE_BYTES) continue
    copied = 0
    await yieldToEvents()
  }
  return bytes
}

/** Divides JSON into parts that each contain at most one object without other objects. */
function* jsonParts(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ','
      yield* jsonParts(item)
    }
    yield value.length === 0 ? '[]' : ']'
  } else if (isObject(value) && Object.values(value).some(isObject)) {
    let separator = '{'
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue
      yield `${separator}${JSON.stringify(key)}:`
      yield* jsonParts(item)
      separator = ','
    }
    yield '}'
  } else yield JSON.stringify(value)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
