import { describe, expect, it } from 'vitest'
import { compareTransports } from './differential/compare-transports.ts'
import { generate } from './differential/generate.ts'
import { NOT_COMPARED } from './differential/normalize.ts'
import { describeDifference, shrink } from './differential/shrink.ts'
import { TRANSPORTS, type Transports } from './differential/transports.ts'

const REQUESTS = 300
/**
 * The seeds of the sequences. Each sequence uses separate mocks. In the nightly run, `DIFFERENTIAL_SEEDS` adds further
 * seeds.
 */
const SEEDS = [1, 3, 9, 10, 37]
const MORE = Number(process.env.DIFFERENTIAL_SEEDS ?? 0)
const STATUSES = [200, 201, 204, 304, 400, 401, 403, 404, 405, 409, 413, 415, 429]

describe('generated requests', () => {
  const statuses = new Set<number>()
  const responses: string[] = []

  it.each([...SEEDS, ...Array.from({ length: MORE }, (_, at) => 101 + at)])(
    'with seed %i get the same responses from every transport and from the server',
    async (seed) => {
      const comparison = await compareTransports(seed, REQUESTS)
      responses.push(...comparison.responses)
      for (const response of comparison.responses) statuses.add(Number.parseInt(response, 10))
      const shrunk = await Promise.all(
        comparison.differences.slice(0, 1).map((one) => shrink(comparison.requests, one)),
      )
      expect(shrunk.map(describeDifference).join('\n')).toBe('')
    },
  )

  it('cover every expected status and response header', () => {
    expect([...statuses].sort()).toEqual(STATUSES)
    for (const header of [
      'idempotent-replayed: true',
      'content-encoding: gzip',
      'content-encoding: br',
      'retry-after',
    ]) {
      expect(responses.filter((response) => response.includes(`\n${header}`)).length, header).toBeGreaterThan(0)
    }
    expect(responses.filter((response) => response.startsWith('failed'))).toEqual([])
  })

  it('are identical in all runs with one seed', async () => {
    expect(JSON.stringify(await generate(7, 50))).toBe(JSON.stringify(await generate(7, 50)))
    expect(JSON.stringify(await generate(8, 50))).not.toBe(JSON.stringify(await generate(7, 50)))
  })
})

describe('a difference between two transports', () => {
  /** Two direct transports. After the first 201 response, `lying` omits the content type of 404 responses. */
  const transports: Transports = {
    direct: TRANSPORTS.direct as Transports[string],
    async lying(seed) {
      const transport = await (TRANSPORTS.direct as Transports[string])(seed)
      let created = false
      return {
        advance: transport.advance,
        [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
        async send(request) {
          const response = await transport.send(request)
          created ||= response.status === 201
          const lies = created && response.status === 404
          return lies
            ? { ...response, headers: response.headers.filter(([name]) => name !== 'content-type') }
            : response
        },
      }
    },
  }

  it('is found even if only one header of one response differs, and is reduced to the requests that cause the difference', async () => {
    const comparison = await compareTransports(1, 200, transports)
    expect(comparison.differences).toHaveLength(1)
    const [difference] = comparison.differences
    if (!difference) return
    const shrunk = await shrink(comparison.requests, difference, transports)
    expect(shrunk.requests).toHaveLength(2)
    expect(describeDifference(shrunk)).toContain(JSON.stringify(shrunk.requests[1]))
  })

  it('is detected in every header, except for at most five headers with a documented reason', () => {
    expect(Object.keys(NOT_COMPARED).length).toBeLessThanOrEqual(5)
    for (const reason of Object.values(NOT_COMPARED)) expect(reason.length).toBeGreaterThan(10)
  })
})
