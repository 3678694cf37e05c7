import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CliError, interruption } from '../cli-error.ts'
import { EXIT } from '../exit.ts'
import type { Io } from '../io.ts'

/** Asks a person at a terminal; nothing of the answer is shown, not even its length. */
export function askSecret({ stdin, stderr }: Io, question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 })
  return new Promise<string>((resolve, reject) => {
    lines.once('line', resolve)
    lines.once('SIGINT', () => reject(interruption()))
    lines.once('close', () =>
      reject(new CliError({ code: 'missing_credentials', message: 'No answer was given.', exit: EXIT.credentials })),
    )
    stderr.write(`${question}: `)
  }).finally(() => {
    lines.close()
    stderr.write('\n')
  })
}
