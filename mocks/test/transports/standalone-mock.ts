import { createMock, type Seed } from '@fish-crab/mocks'

export const START = Date.UTC(2026, 0, 1)

/** Starts a mock server, and returns the server with a function that calls the control API. */
export async function startStandalone(seed: Seed = { users: [{ name: 'Alex' }] }) {
  const mock = await createMock({ seed, startAt: START })
  const standalone = await mock.serve()
  const control = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${standalone.url}/__mock/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, which each test compares
    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }
  return { ...standalone, control }
}
