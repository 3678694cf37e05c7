import { IncomingMessage } from 'node:http'

const FIRST_BYTES = 4096

/**
 * A request whose chunked body (RFC 9112, section 7.1) arrives in one piece per read of the socket.
 *
 * Node passes on each chunk separately. A chunk of one byte takes six bytes on the wire, but costs the server a buffer,
 * a read and some promises. With such chunks, a client without credentials could fill the memory and block all other
 * clients.
 */
export class JoinedBodyRequest extends IncomingMessage {
  #joined: Buffer | undefined
  #size = 0

  override push(chunk: Uint8Array | null): boolean {
    if (chunk === null) this.#pass()
    if (chunk === null || this.headers['transfer-encoding'] === undefined) return super.push(chunk)
    // `process.nextTick` callbacks run between the chunks of one read, but `setImmediate` callbacks run after the read.
    if (this.#size === 0) setImmediate(() => this.#pass())
    this.#append(chunk)
    return this.readableLength + this.#size < this.readableHighWaterMark
  }

  /** Copies the chunk, because each retained chunk would cost a hundred bytes more than its content. */
  #append(chunk: Uint8Array): void {
    const size = this.#size + chunk.byteLength
    if (this.#joined === undefined || size > this.#joined.byteLength) {
      const larger = Buffer.allocUnsafe(Math.max(FIRST_BYTES, 2 * size))
      if (this.#joined !== undefined) larger.set(this.#joined.subarray(0, this.#size))
      this.#joined = larger
    }
    this.#joined.set(chunk, this.#size)
    this.#size = size
  }

  #pass(): void {
    if (this.#joined === undefined || this.destroyed) return
    const joined = this.#joined.subarray(0, this.#size)
    this.#joined = undefined
    this.#size = 0
    super.push(joined)
  }
}
