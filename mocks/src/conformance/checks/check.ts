import type { TestContext } from '../context/context.ts'

/** The parts of the contract with their headings, in the order in which they are checked. */
export const SECTIONS = {
  responses: 'Responses in general',
  cors: 'Responses in general: CORS',
  bodies: 'Responses in general: request bodies',
  names: 'Public endpoints: user names and gamemodes',
  status: 'Public endpoints: GET /status, GET /demo/…',
  reads: 'Public endpoints: GET /get/fish, GET /get/crab',
  events: 'Public endpoints: GET /events',
  writes: 'Public endpoints: POST /post/fish, POST /post/crab',
  tokens: 'Public endpoints: Fernet tokens',
  admin: 'Admin endpoints (JWT)',
  operations: 'Operations',
  key: 'Public endpoints: GET /get/user/key',
  'rate-limit': 'Rate limit',
} as const

/** The name of a part of the contract. */
export type Section = keyof typeof SECTIONS

/** Describes a check. */
export interface CheckInfo {
  /** The stable id of the check, in kebab case. */
  readonly id: string
  /** A sentence that states the required behaviour. */
  readonly title: string
  readonly section: Section
}

/** A check of one behaviour. */
export interface Check extends CheckInfo {
  /** Rejects with `ConformanceFailure` when the check fails, and with `CheckSkipped` when the check cannot run. */
  readonly run: (t: TestContext) => unknown
}

export function check(id: string, title: string, run: Check['run']): Omit<Check, 'section'> {
  return { id, title, run }
}

export function checksOf(section: Section, checks: readonly Omit<Check, 'section'>[]): readonly Check[] {
  return checks.map((one) => ({ ...one, section }))
}
