import type { Context } from '../core/context.ts'

type KeyInput = Context['stdin'] & Partial<Pick<NodeJS.ReadStream, 'setRawMode'>>

const CTRL_C = '\u0003'
const CTRL_Z = '\u001a'
const CTRL_BACKSLASH = '\u001c'

interface KeyHandlers {
  readonly onKey: (key: string) => void
  /** After Ctrl-Z and `fg`: the screen may show other output. */
  readonly onContinue: () => void
}

/**
 * Reads single keys without echo, until the returned function is called. The terminal no longer turns Ctrl-C, Ctrl-Z and
 * Ctrl-\ into signals then, so this does, for all processes of the job as the terminal would.
 */
export function readKeys(stdin: KeyInput, { onKey, onContinue }: KeyHandlers): () => void {
  const raw = (mode: boolean) => stdin.setRawMode?.(mode)
  const onData = (bytes: Buffer | string) => {
    const text = String(bytes)
    // A sequence, such as that of an arrow.
    if (text.startsWith('\u001b') && text.length > 1) return
    for (const key of text) {
      if (key === CTRL_C) signalJob('SIGINT')
      else if (key === CTRL_BACKSLASH) {
        raw(false)
        signalJob('SIGQUIT')
      } else if (key === CTRL_Z && process.platform !== 'win32') {
        raw(false)
        signalJob('SIGTSTP')
      } else onKey(key)
    }
  }
  const goOn = () => {
    // The shell has reset the terminal.
    raw(false)
    raw(true)
    onContinue()
  }
  process.on('SIGCONT', goOn)
  // A process that ends by itself leaves the terminal as it was.
  const restore = () => raw(false)
  process.on('exit', restore)
  raw(true)
  stdin.on('data', onData)
  stdin.resume()
  return () => {
    process.off('SIGCONT', goOn)
    process.off('exit', restore)
    stdin.off('data', onData)
    stdin.pause()
    raw(false)
  }
}

function signalJob(signal: NodeJS.Signals): void {
  if (process.platform !== 'win32') process.kill(0, signal)
  // There, kill would end the process at once.
  else if (!process.emit(signal, signal)) process.exit(1)
}
