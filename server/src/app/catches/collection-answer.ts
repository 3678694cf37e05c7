import { type Kind, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { HTTPResponse } from 'h3'
import type { StoredRecord } from '../../storage/types.ts'
import { jsonBytes } from '../http/answer.ts'

const encoder = new TextEncoder()

/**
 * The answer that carries a whole collection. What fits one chunk is sent with its length; what is larger is streamed,
 * so that memory stays bounded however many entries there are. Nothing is parsed on the way.
 */
export async function collectionAnswer(
  user: string,
  kind: Kind,
  chunks: AsyncIterable<readonly StoredRecord[]>,
): Promise<HTTPResponse> {
  const head = `{"user":${JSON.stringify(user)},"${kind}":[`
  const iterator = chunks[Symbol.asyncIterator]()
  const first = await iterator.next()
  const second = first.done ? first : await iterator.next()
  if (second.done) return jsonBytes(200, encoder.encode(`${head}${first.done ? '' : join(first.value)}]}`))

  const pending = [`${head}${join(first.value)}`, `,${join(second.value)}`]
  const body = new ReadableStream<Uint8Array>({
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
  return new HTTPResponse(body, { status: 200, headers: { 'content-type': MEDIA_TYPES.json } })
}

function join(records: readonly StoredRecord[]): string {
  return records.map(({ entries }) => entries).join(',')
}
