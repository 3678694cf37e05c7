import type { ServerResponse } from 'node:http'
import { sendNodeResponse } from 'srvx/node'
import type { MockClock } from '../mock/clock.ts'
import type { Outcome } from '../mock/outcome.ts'
import { isBodiless } from './bodiless.ts'

/** Sends an answer, or disturbs it as told. Settles when there is nothing left to do; never rejects for a lost client. */
export async function bringAbout(
  { response, delayMs, disturbance }: Outcome,
  res: ServerResponse,
  sleep: MockClock['sleep'],
): Promise<void> {
  if (delayMs > 0) await whileConnected(res, (gone) => sleep(delayMs, gone))
  if (disturbance?.kind === 'silence') {
    await whileConnected(res, (gone) => sleep(Number.POSITIVE_INFINITY, gone))
    return drop(response)
  }
  if (res.destroyed) return drop(response)
  const isWhole = disturbance?.kind === 'cut-body' && isBodiless(res.req.method ?? '', response)
  if (!disturbance || isWhole) {
    await sendNodeResponse(res, response)
    return
  }
  if (disturbance.kind === 'reset') {
    res.socket?.resetAndDestroy()
    return drop(response)
  }
  const body = new Uint8Array(await response.arrayBuffer())
  writeHead(res, response, body.byteLength)
  res.write(body.subarray(0, Math.floor(body.byteLength * disturbance.share)))
  // Unread bytes of the request would turn the end into a reset.
  res.req.resume()
  res.socket?.destroySoon()
}

/** Writes status and headers, with a length that promises more than will come. */
function writeHead(res: ServerResponse, { status, statusText, headers }: Response, length: number): void {
  for (const [name, value] of headers) res.appendHeader(name, value)
  res.removeHeader('transfer-encoding')
  res.setHeader('content-length', Math.max(length, 1))
  res.writeHead(status, statusText || undefined)
  res.flushHeaders()
}

/** Waits, no longer than the client does. */
async function whileConnected(res: ServerResponse, wait: (gone: AbortSignal) => Promise<void>): Promise<void> {
  if (res.destroyed) return
  const gone = new AbortController()
  const leave = () => gone.abort()
  res.once('close', leave)
  try {
    await wait(gone.signal)
  } catch (error) {
    if (!gone.signal.aborted) throw error
  } finally {
    res.off('close', leave)
  }
}

async function drop(response: Response): Promise<void> {
  if (!response.bodyUsed) await response.body?.cancel().catch(() => {})
}
