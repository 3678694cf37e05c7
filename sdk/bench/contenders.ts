import { createClient } from '@fish-crab/sdk'
import { Octokit } from '@octokit/core'
import { throttling } from '@octokit/plugin-throttling'
import ky from 'ky'
import OpenAI from 'openai'
import Stripe from 'stripe'

/** A measured client, with options for the longest possible waits and for 10 retries. */
export interface Contender {
  readonly name: string
  /** @returns a function that reads `/demo/fish` once */
  open(fetch: typeof globalThis.fetch): () => Promise<unknown>
}

const ORIGIN = 'http://fish.test'
const PATH = '/demo/fish'
const RETRIES = 10
const PATIENT_MS = Number.POSITIVE_INFINITY

export const CONTENDERS: readonly Contender[] = [
  {
    name: '@fish-crab/sdk',
    open(fetch) {
      const client = createClient({ baseUrl: ORIGIN, fetch, env: {}, maxWaitMs: PATIENT_MS, maxRetries: RETRIES })
      return () => client.demo.fish()
    },
  },
  {
    name: 'openai',
    open(fetch) {
      const client = new OpenAI({ baseURL: ORIGIN, apiKey: 'none', fetch, maxRetries: RETRIES })
      return () => client.get(PATH)
    },
  },
  {
    name: 'stripe',
    open(fetch) {
      const client = new Stripe('none', {
        host: 'fish.test',
        protocol: 'http',
        httpClient: Stripe.createFetchHttpClient(fetch),
        maxNetworkRetries: RETRIES,
        telemetry: false,
      })
      return () => client.rawRequest('GET', PATH)
    },
  },
  {
    name: 'ky',
    open(fetch) {
      const client = ky.create({ fetch, retry: { limit: RETRIES, maxRetryAfter: PATIENT_MS }, timeout: false })
      return () => client.get(`${ORIGIN}${PATH}`).json()
    },
  },
  {
    name: 'octokit + throttling',
    open(fetch) {
      const Throttled = Octokit.plugin(throttling)
      const quiet = { debug() {}, info() {}, warn() {}, error() {} }
      const client = new Throttled({
        baseUrl: ORIGIN,
        request: { fetch },
        log: quiet,
        throttle: { onRateLimit: () => true, onSecondaryRateLimit: () => true },
      })
      return () => client.request(`GET ${PATH}`)
    },
  },
]
