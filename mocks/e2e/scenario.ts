import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Fault, RouteMatcher, Seed } from '@fish-crab/mocks'

/** The path of the scenario file, which clients in other languages also read. */
export const SCENARIO_FILE = fileURLToPath(new URL('scenario.json', import.meta.url))

/** A request in a scenario. */
export interface ScenarioRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * The expected outcome: no complete response, or a response with this status and at least these headers and JSON
 * values.
 */
export interface Expectation {
  readonly response?: 'none'
  readonly status?: number
  /** Expected headers. The value `null` means that the header must be absent. */
  readonly headers?: Readonly<Record<string, string | null>>
  readonly json?: unknown
}

/** The SDK call that sends the request of the step. Steps without a call are covered by the retries of the SDK. */
export interface SdkCall {
  readonly call: string
  readonly with?: object
  /** The expected result of the call. @default the `json` of the expectation */
  readonly result?: unknown
}

/** The body of `POST /__mock/faults`. */
export interface FaultOrder {
  readonly fault: Fault
  readonly times?: number
  readonly on?: RouteMatcher
}

/** A step of a scenario: a request, a change of the clock, or a fault. */
export interface Step {
  readonly say: string
  readonly times?: number
  readonly request?: ScenarioRequest
  readonly expect?: Expectation
  readonly sdk?: SdkCall
  readonly advanceMs?: number
  readonly fail?: FaultOrder
}

/** The content of `scenario.json`. */
export interface Scenario {
  readonly startAt: string
  readonly seed: Seed
  readonly steps: readonly Step[]
}

/** The outcome of a request. */
export type Outcome =
  | { readonly response: 'none' }
  | { readonly status: number; readonly headers: Headers; readonly json: unknown }

/** A way to execute the steps of a scenario. */
export interface Player {
  /** Sends the request of a step, or returns `undefined` if the player skips the step. */
  send(step: Step): Promise<Outcome | undefined>
  advance(milliseconds: number): void | Promise<void>
  fail(order: FaultOrder): unknown
}

export async function readScenario(): Promise<Scenario> {
  return JSON.parse(await readFile(SCENARIO_FILE, 'utf8')) as Scenario
}

/** Executes a whole scenario. @returns the differences from the expectations, one per line */
export async function play({ steps }: Scenario, player: Player): Promise<string[]> {
  const wrong: string[] = []
  for (const [index, step] of steps.entries()) {
    if (step.advanceMs !== undefined) await player.advance(step.advanceMs)
    if (step.fail) await player.fail(step.fail)
    for (let round = 0; step.request && round < (step.times ?? 1); round += 1) {
      const outcome = await player.send(step)
      const difference = outcome && differenceOf(outcome, step.expect ?? {})
      if (difference) wrong.push(`step ${index + 1}, ${step.say}: ${difference}`)
    }
  }
  return wrong
}

function differenceOf(outcome: Outcome, { response, status, headers = {}, json }: Expectation): string | undefined {
  if (response === 'none' || 'response' in outcome) {
    return response === 'none' && 'response' in outcome
      ? undefined
      : `expected ${response ?? status}, was ${show(outcome)}`
  }
  if (outcome.status !== status) return `expected ${status}, was ${show(outcome)}`
  for (const [name, value] of Object.entries(headers)) {
    const actual = outcome.headers.get(name)
    if (actual !== value) return `expected ${name}: ${value}, was ${actual}`
  }
  return holds(outcome.json, json) ? undefined : `expected ${JSON.stringify(json)}, was ${show(outcome)}`
}

function show(outcome: Outcome): string {
  return 'response' in outcome ? 'no response' : `${outcome.status} ${JSON.stringify(outcome.json)}`
}

/** Returns whether a value has all expected fields, and lists have the expected length. */
export function holds(actual: unknown, expected: unknown): boolean {
  if (expected === undefined) return true
  if (typeof expected !== 'object' || expected === null) return Object.is(actual, expected)
  if (typeof actual !== 'object' || actual === null) return false
  if (Array.isArray(expected) && (!Array.isArray(actual) || actual.length !== expected.length)) return false
  return Object.entries(expected).every(([key, value]) => holds(Reflect.get(actual, key), value))
}
