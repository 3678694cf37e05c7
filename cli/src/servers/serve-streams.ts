import { Writable } from 'node:stream'
import type { Terminal } from '../core/terminal.ts'

const PREFIX = 'fish-cli serve: '

/** Turns the server's one line, `listening on URL`, into one JSON document. */
export function listenLineAsJson(stdout: Writable): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      const url = text.trim().replace(/^listening on /, '')
      stdout.write(`${JSON.stringify({ listening: url })}\n`)
      done()
    },
  })
}

/** Passes a stream on, and remembers what the server said about not starting. */
export function startErrors(stderr: Terminal<Writable>): {
  stream: Terminal<Writable>
  lines: () => readonly string[]
} {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const text = chunk.toString()
      if (text.startsWith(PREFIX)) lines.push(text.slice(PREFIX.length).trim())
      // What nobody reads waits in this stream, where the log sees it and bounds it.
      if (stderr.write(chunk)) done()
      else stderr.once('drain', () => done())
    },
  })
  return {
    stream: Object.assign(stream, stderr.isTTY === undefined ? {} : { isTTY: stderr.isTTY }),
    lines: () => lines,
  }
}
