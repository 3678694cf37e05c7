import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Fault, FaultOn, Seed } from '@fish-crab/mocks'

/** Where the scenario stands. Clients in other languages read the same file. */
export const SCENARIO_FILE = fileURLToPath(new URL('scenario.json', import.meta.url))

/** A request as it is sent. */
export interface ScenarioRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** What must come of it: no answer in full, or one of this status with at least these headers and values. */
export interface Expectation {
  readonly answer?: 'none'
  readonly status?: number
  /** `null`: there is no such header. */
  readonly headers?: Readonly<Record<string, string | null>>
  readonly json?: unknown
}

/** What the SDK is called with for the same. Steps without it are those that it takes by itself: it tries again. */
export interface SdkCall {
  readonly call: string
  readonly with?: object
  /** What it answers. @default the `json` of the expectation */
  readonly result?: unknown
}

/** An order of faults, as `POST /__mock/faults` takes it. */
export interface FaultOrder {
  readonly fault: Fault
  readonly times?: number
  readonly on?: FaultOn
}

/** One step: a request, a move of the clock, or an order of faults. */
export interface Step {
  readonly say: string
  readonly times?: number
  readonly request?: ScenarioRequest
  readonly expect?: Expectation
  readonly sdk?: SdkCall
  readonly advanceMs?: number
  readonly fail?: FaultOrder
}

/** What `scenario.json` holds. */
export interface Scenario {
  readonly startAt: string
  readonly seed: Seed
  readonly steps: readonly Step[]
}

/** What came of a request. */
export type Outcome =
  | { readonly answer: 'none' }
  | { readonly status: number; readonly headers: Headers; readonly json: unknown }

/** A way to play a scenario. */
export interface Player {
  /** Takes a step that asks the service something; `undefined` when it is none of its own. */
  ask(step: Step): Promise<Outcome | undefined>
  advance(milliseconds: number): void | Promise<void>
  fail(order: FaultOrder): unknown
}

export async function readScenario(): Promise<Scenario> {
  return JSON.parse(await readFile(SCENARIO_FILE, 'utf8')) as Scenario
}

/** Plays a scenario to its end. @returns what came out otherwise than it should, a line each */
export async function play({ steps }: Scenario, player: Player): Promise<string[]> {
  const wrong: string[] = []
  for (const [index, step] of steps.entries()) {
    if (step.advanceMs !== undefined) await player.advance(step.advanceMs)
    if (step.fail) await player.fail(step.fail)
    for (let round = 0; step.request && round < (step.times ?? 1); round += 1) {
      const outcome = await player.ask(step)
      const difference = outcome && differenceOf(outcome, step.expect ?? {})
      if (difference) wrong.push(`step ${index + 1}, ${step.say}: ${difference}`)
    }
  }
  return wrong
}

function differenceOf(outcome: Outcome, { answer, status, headers = {}, json }: Expectation): string | undefined {
  if (answer === 'none' || 'answer' in outcome) {
    return answer === 'none' && 'answer' in outcome ? undefined : `expected ${answer ?? status}, was ${show(outcome)}`
  }
  if (outcome.status !== status) return `expected ${status}, was ${show(outcome)}`
  for (const [name, value] of Object.entries(headers)) {
    const actual = outcome.headers.get(name)
    if (actual !== value) return `expected ${name}: ${value}, was ${actual}`
  }
  return holds(outcome.json, json) ? undefined : `expected ${JSON.stringify(json)}, was ${show(outcome)}`
}

function show(outcome: Outcome): string {
  return 'answer' in outcome ? 'no answer' : `${outcome.status} ${JSON.stringify(outcome.json)}`
}

/** Whether a value holds all that is expected of it. Lists must be of the same length. */
export function holds(actual: unknown, expected: unknown): boolean {
  if (expected === undefined) return true
  if (typeof expected !== 'object' || expected === null) return Object.is(actual, expected)
  if (typeof actual !== 'object' || actual === null) return false
  if (Array.isArray(expected) && (!Array.isArray(actual) || actual.length !== expected.length)) return false
  return Object.entries(expected).every(([key, value]) => holds(Reflect.get(actual, key), value))
}
