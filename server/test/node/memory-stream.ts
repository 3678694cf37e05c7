import { Writable } from 'node:stream'

/** A stream that stores the written text, and reports when the text matches a pattern. */
export interface MemoryStream extends Writable {
  readonly text: () => string
  /** Settles with the whole text once the text matches. */
  readonly until: (pattern: RegExp) => Promise<string>
}

export function createMemoryStream(): MemoryStream {
  let text = ''
  const waiting = new Set<() => void>()
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk)
      for (const check of waiting) check()
      done()
    },
  })
  const until = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      const check = () => {
        if (!pattern.test(text)) return
        waiting.delete(check)
        resolve(text)
      }
      waiting.add(check)
      check()
    })
  return Object.assign(stream, { text: () => text, until })
}
