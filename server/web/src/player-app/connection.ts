import type { AppErrorBody, AppProblem, AppRequests, AppState } from './api-types.ts'
import type { LogUpload } from './log-files.ts'

/** The name of the secret in the storage of the tab, which survives a reload. */
const SECRET = 'fish-app'

/**
 * In the step `disconnected`, the app does not accept the secret of this page. In the step `ended`, the app does not
 * run.
 */
export type Status =
  | { readonly step: 'connecting' | 'disconnected' | 'ended' }
  | { readonly step: 'connected'; readonly state: AppState }

/** A request that the app rejected, with a text for the player. */
export class AppError extends Error {
  readonly problem: AppProblem

  constructor(problem: AppProblem) {
    super(problem.message)
    this.problem = problem
  }
}

interface ConnectionOptions {
  readonly fetch: typeof globalThis.fetch
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  /** The fragment of the address. `#code=…` holds a code that the app accepts once. */
  readonly fragment: string
  /** Removes the fragment from the address and from the history of the browser. */
  readonly clearAddress: () => void
}

export type Connection = ReturnType<typeof createConnection>

/** Connects the page to the app on this machine: one stream of states, and requests. */
export function createConnection({ fetch, storage, fragment, clearAddress }: ConnectionOptions) {
  let status: Status = { step: 'connecting' }
  const listeners = new Set<(status: Status) => void>()

  function change(next: Status): void {
    // The last status of the page does not change, so that a late response cannot hide it.
    if (status.step === 'disconnected' || status.step === 'ended') return
    status = next
    for (const listener of listeners) listener(status)
  }

  /** Sends a request with the secret, if there is one. A wrong secret disconnects the page. */
  async function send(path: string, init: RequestInit): Promise<Response> {
    const secret = storage.getItem(SECRET)
    const response = await fetch(`/api/${path}`, {
      ...init,
      headers: {
        'content-type': 'application/json',
        ...init.headers,
        ...(secret !== null && { authorization: `Bearer ${secret}` }),
      },
    })
    if (response.status === 401) change({ step: 'disconnected' })
    return response
  }

  /** @throws AppError if the app rejects the request or does not respond */
  async function call(path: string, init: RequestInit): Promise<unknown> {
    const response = await send(path, init).catch(() => {
      throw new AppError({ message: 'Fish Collection does not respond.', hint: 'Open it again.' })
    })
    const result: unknown = await response.json().catch(() => undefined)
    if (!response.ok) {
      const { error } = (result ?? {}) as Partial<AppErrorBody>
      throw new AppError(error ?? { message: `The request failed with status ${response.status}.`, hint: null })
    }
    return result
  }

  /** Makes a request of the player. @throws AppError if the app rejects the request or does not respond */
  async function request<Name extends keyof AppRequests>(
    name: Name,
    body: AppRequests[Name]['body'],
  ): Promise<AppRequests[Name]['response']> {
    const result = await call(name, { method: 'POST', body: JSON.stringify(body) })
    if (name === 'quit') change({ step: 'ended' })
    return result as AppRequests[Name]['response']
  }

  /**
   * Sends a log to the app. Returns `false` if the file has changed since the player chose it, because browsers do not
   * read such a file.
   * @param batch a UUID for all logs that the player chose together
   * @throws AppError if the app rejects the request or does not respond
   */
  async function upload(batch: string, { folder, file }: LogUpload): Promise<boolean> {
    const headers = { 'content-type': 'application/octet-stream', 'x-last-modified': String(file.lastModified) }
    const path = `upload/${batch}/${folder}/${encodeURIComponent(file.name)}`
    try {
      await call(path, { method: 'PUT', headers, body: file })
      return true
    } catch (error) {
      const isReadable = await file
        .slice(0, 1)
        .arrayBuffer()
        .then(
          () => true,
          () => false,
        )
      if (isReadable) throw error
      return false
    }
  }

  /** Reads one stream until it ends. @returns whether the stream delivered a state */
  async function readStates(): Promise<boolean> {
    let hasState = false
    try {
      const { ok, body } = await send('events', {})
      if (!ok || body === null) return false
      const reader = body.getReader()
      const decoder = new TextDecoder()
      let text = ''
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const messages = (text + decoder.decode(part.value, { stream: true })).split('\n\n')
        text = messages.pop() ?? ''
        for (const message of messages) {
          if (!message.startsWith('data:')) continue
          hasState = true
          change({ step: 'connected', state: JSON.parse(message.slice('data:'.length)) as AppState })
        }
      }
    } catch {
      // The app has closed the stream, or does not run. The next attempt tells which.
    }
    return hasState
  }

  async function connect(): Promise<void> {
    const code = new URLSearchParams(fragment.slice(1)).get('code')
    if (code !== null) {
      clearAddress()
      storage.removeItem(SECRET)
      storage.setItem(SECRET, (await request('session', { code })).secret)
    } else if (storage.getItem(SECRET) === null) {
      change({ step: 'disconnected' })
    }
    while (status.step === 'connecting' || status.step === 'connected') {
      if (!(await readStates())) change({ step: 'ended' })
    }
  }

  connect().catch(() => change({ step: 'ended' }))

  return {
    status: () => status,

    /** Calls the listener after each change. @returns a function that removes the listener */
    subscribe(listener: (status: Status) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    request,
    upload,
  }
}
