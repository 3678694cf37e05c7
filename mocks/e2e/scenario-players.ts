import type { Mock } from '@fish-crab/mocks'
import { ApiError, type Client, ConnectionError } from '@fish-crab/sdk'
import type { Outcome, Player, ScenarioRequest, SdkCall, Step } from './scenario.ts'

/** Controls a mock in the same process. */
export function steerMock({ clock, fail }: Mock): Pick<Player, 'advance' | 'fail'> {
  return {
    advance: (milliseconds) => clock.advance(milliseconds),
    fail: ({ fault, ...scope }) => fail(fault, scope),
  }
}

/** Controls a mock through the control API, like a client in any language. */
export function steerFromOutside(url: string): Pick<Player, 'advance' | 'fail'> {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}/__mock/${path}`, { method: 'POST', body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  }
  return {
    advance: (advanceMs) => post('clock', { advanceMs }),
    fail: (order) => post('faults', order),
  }
}

/** Sends the requests of a scenario unchanged, with a given fetch. */
export function sendByFetch(send: typeof fetch, origin: string): Player['send'] {
  return async ({ request }) => (request ? sendRequest(send, origin, request) : undefined)
}

async function sendRequest(
  send: typeof fetch,
  origin: string,
  { method, path, headers = {}, body }: ScenarioRequest,
): Promise<Outcome> {
  try {
    const response = await send(origin + path, { method, headers: { ...headers }, ...(body ? { body } : {}) })
    const { status, headers: responded } = response
    return { status, headers: responded, json: await response.json() }
  } catch {
    return { response: 'none' }
  }
}

/** Sends the requests of a scenario through the SDK. */
export function sendBySdk(client: Client): Player['send'] {
  return async ({ sdk, expect }: Step) => {
    if (!sdk) return undefined
    const { status = 0, headers = {}, json } = expect ?? {}
    // The SDK does not return the headers of successful responses, so assume the expected headers. Other players check
    // the headers.
    const shown = new Headers()
    for (const [name, value] of Object.entries(headers)) if (value !== null) shown.set(name, value)
    try {
      const result = await callOf(client, sdk)
      return { status, headers: shown, json: sdk.result === undefined ? result : matched(result, sdk.result, json) }
    } catch (error) {
      if (error instanceof ConnectionError) return { response: 'none' }
      if (!(error instanceof ApiError)) throw error
      return { status: error.status, headers: shown, json: { code: error.code } }
    }
  }
}

/** Returns the expected JSON if the result has the expected values, otherwise the result. */
function matched(result: object, expected: unknown, json: unknown): unknown {
  return Object.entries(expected as object).every(([name, value]) => Reflect.get(result, name) === value)
    ? json
    : result
}

function callOf(client: Client, { call, with: given = {} }: SdkCall): Promise<object> {
  const [resource = '', method] = call.split('.')
  const owner = Reflect.get(client, resource)
  return method === undefined ? owner(given) : owner[method](given)
}
