import type { Kind } from '@fish-crab/sdk/contract'
import type { StoredRecord } from '../../storage/types.ts'

/** A body: whole, or as it is read. */
export type CollectionBody = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>

/** A body of up to about so many characters is answered as a whole. */
const WHOLE_CHARACTERS = 64 * 1024

const encoder = new TextEncoder()

/**
 * The JSON of a whole collection. What is small is answered as a whole; what is larger as a stream that reads no
 * further than its own reader, so that memory stays bounded however many entries and readers there are. Nothing is
 * parsed on the way.
 */
export async function collectionBody(
  user: string,
  kind: Kind,
  chunks: AsyncIterable<readonly StoredRecord[]>,
): Promise<CollectionBody> {
  const iterator = chunks[Symbol.asyncIterator]()
  const head = `{"user":${JSON.stringify(user)},"${kind}":[`
  let begun = head
  while (begun.length < WHOLE_CHARACTERS) {
    const next = await iterator.next()
    if (next.done) return encoder.encode(`${begun}]}`)
    begun += `${begun === head ? '' : ','}${join(next.value)}`
  }
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        if (begun) {
          controller.enqueue(encoder.encode(begun))
          // A reader may take its time over the rest.
          begun = ''
          return
        }
        const next = await iterator.next()
        controller.enqueue(encoder.encode(next.done ? ']}' : `,${join(next.value)}`))
        if (next.done) controller.close()
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

function join(records: readonly StoredRecord[]): string {
  return records.map(({ entries }) => entries).join(',')
}
