import type { Kind } from '@fish-crab/sdk/contract'
import type { StoredRecord } from '../../storage/types.ts'

/** A body: whole, or as it is read. */
export type CollectionBody = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>

const encoder = new TextEncoder()

/**
 * The JSON of a whole collection. What fits one chunk is answered as a whole; what is larger as a stream, so that
 * memory stays bounded however many entries there are. Nothing is parsed on the way.
 */
export async function collectionBody(
  user: string,
  kind: Kind,
  chunks: AsyncIterable<readonly StoredRecord[]>,
): Promise<CollectionBody> {
  const head = `{"user":${JSON.stringify(user)},"${kind}":[`
  const iterator = chunks[Symbol.asyncIterator]()
  const first = await iterator.next()
  const second = first.done ? first : await iterator.next()
  if (second.done) return encoder.encode(`${head}${first.done ? '' : join(first.value)}]}`)

  const pending = [`${head}${join(first.value)}`, `,${join(second.value)}`]
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const ready = pending.shift()
      if (ready !== undefined) return controller.enqueue(encoder.encode(ready))
      const next = await iterator.next()
      controller.enqueue(encoder.encode(next.done ? ']}' : `,${join(next.value)}`))
      if (next.done) controller.close()
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

function join(records: readonly StoredRecord[]): string {
  return records.map(({ entries }) => entries).join(',')
}
