import { createAdminClient } from '@fish-crab/sdk/admin'
import { ERROR_CODES, type ErrorBody } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { asyncProperty, check, constantFrom, dictionary, jsonValue, oneof, option, record, string } from 'fast-check'
import { HOSTILE_TEXTS } from '../../test-support/hostile-texts.ts'
import { ROOT } from '../../test-support/server-process.ts'
import type { Experiment, Scale } from '../experiment.ts'
import { Service } from '../service.ts'

const REQUESTS: Readonly<Record<Scale, number>> = { short: 500, long: 100_000 }

interface OpenApi {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, unknown>> }>>>
  >
}

const odd = oneof(constantFrom(...HOSTILE_TEXTS, 'a'.repeat(5000)), string({ unit: 'binary', maxLength: 40 }))
const plausible = constantFrom(
  'Alex',
  'Player0',
  'earth',
  'survival',
  'fish',
  'crab',
  '1',
  '1000',
  'species',
  'full',
  '0',
)
const text = oneof(plausible, odd)
const payload = oneof(
  jsonValue(),
  record(
    { fish: oneof(text, jsonValue()), rarity: oneof(constantFrom(1, 7, 0, 8, 1.5), jsonValue()), user: option(text) },
    { requiredKeys: [] },
  ),
  record({ name: text, password: text, username: text, role: text, type: text, gamemode: text }, { requiredKeys: [] }),
)

/** Of any operation: an unchanged response, and headers that are too large for the socket. */
const OF_ANY = ['304', '431']

/** What a header can carry: others are refused by the client itself. */
const headerText = (value: string) => value.replace(/[^\x20-\x7e]/g, '').trim()

export const FUZZ_EXPERIMENTS: readonly Experiment[] = [
  {
    name: 'requests made from the OpenAPI document',
    how: 'Random paths, parameters, headers and bodies, also encrypted ones, with and without credentials: each response has a documented status, and each error a known code; a request that fails is reduced to the smallest one that does.',
    async run(scale) {
      const limits = { FISH_RATE_LIMIT: '100000000', FISH_ADMIN_RATE_LIMIT: '100000000', FISH_TRUST_PROXY: '1' }
      await using service = await Service.start({ FISH_STORAGE: 'memory:', ...limits })
      const { url } = service
      const [alex] = await service.createPlayers(1)
      if (!alex) throw new Error('No player.')
      const { token } = await createAdminClient({ baseUrl: url, ...ROOT }).login()
      const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi
      const operations = Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { responses }]) => ({ path, method, statuses: Object.keys(responses) })),
      )
      const fernet = createFernet(alex.fernetKey)
      let clients = 0

      const request = record({
        operation: constantFrom(...operations),
        names: dictionary(constantFrom('name', 'id', 'username', 'file'), text),
        query: dictionary(
          constantFrom('name', 'gamemode', 'kind', 'limit', 'cursor', 'detail', 'summary', 'offset', 'search'),
          text,
        ),
        headers: dictionary(
          constantFrom(
            'x-gamemode',
            'accept-encoding',
            'if-none-match',
            'last-event-id',
            'content-type',
            'x-api-key',
            'accept',
            'range',
          ),
          text,
        ),
        credential: constantFrom(
          undefined,
          `Bearer ${token}`,
          `Basic ${btoa(`${alex.name}:${alex.password}`)}`,
          'Basic !',
          'Bearer x.y.z',
        ),
        body: payload,
        isEncrypted: constantFrom(true, false),
      })
      const isAnswered = asyncProperty(
        request,
        async ({ operation, names, query, headers, credential, body, isEncrypted }) => {
          clients += 1
          // An empty one or dots would be another path.
          const segment = (value = 'Player0') =>
            /^\.{0,2}$/.test(value) ? 'x' : encodeURIComponent(value.toWellFormed())
          const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => segment(names[name]))
          const search = new URLSearchParams(query)
          const content = JSON.stringify(body) ?? ''
          const method = operation.method.toUpperCase()
          const response = await fetch(`${url}${path}?${search}`, {
            method,
            headers: {
              'content-type': isEncrypted ? 'application/octet-stream' : 'application/json',
              ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerText(value)])),
              ...(credential ? { authorization: credential } : {}),
              'x-forwarded-for': `10.${(clients >> 16) & 255}.${(clients >> 8) & 255}.${clients & 255}`,
            },
            redirect: 'manual',
            signal: AbortSignal.timeout(10_000),
            ...(method === 'GET' ? {} : { body: isEncrypted ? await fernet.encrypt(content) : content }),
          })
          if (response.headers.get('content-type')?.startsWith('text/event-stream'))
            return void (await response.body?.cancel())
          const shown = await response.text()
          if (![...operation.statuses, ...OF_ANY].includes(String(response.status))) {
            throw new Error(`${method} ${operation.path}: ${response.status} is not documented. ${shown.slice(0, 200)}`)
          }
          if (response.status < 400 || !response.headers.get('content-type')?.includes('json')) return
          const { code } = JSON.parse(shown) as ErrorBody
          if (!Object.hasOwn(ERROR_CODES, code))
            throw new Error(`${method} ${operation.path}: the code ${code} is unknown.`)
        },
      )
      const { failed, counterexample, errorInstance, numRuns } = await check(isAnswered, { numRuns: REQUESTS[scale] })
      const isReady = (await fetch(`${url}/readyz`)).ok
      return {
        figure: failed
          ? `${String(errorInstance)} ${JSON.stringify(counterexample)}`
          : `${numRuns.toLocaleString('en')} requests`,
        limit: '0 undocumented',
        isMet: !failed && isReady,
      }
    },
  },
]
