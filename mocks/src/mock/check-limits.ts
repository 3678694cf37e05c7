import { assertKnownKeys } from './known-keys.ts'
import type { MockLimits } from './service.ts'

const COUNTS = ['requests', 'adminRequests'] as const
const SPANS = ['windowSeconds', 'adminWindowSeconds', 'tokenTtlSeconds'] as const

/**
 * Refuses limits that would count nothing, or nonsense.
 * @throws RangeError that names the limit, TypeError for one that there is none of
 */
export function checkLimits(limits: MockLimits): void {
  assertKnownKeys('limits', limits, [...COUNTS, ...SPANS])
  for (const name of COUNTS) {
    const { [name]: count = 1 } = limits
    if (!(Number.isSafeInteger(count) && count >= 1))
      throw new RangeError(`limits.${name} is a whole number from 1 on.`)
  }
  for (const name of SPANS) {
    const { [name]: seconds = 1 } = limits
    if (!(Number.isFinite(seconds) && seconds > 0)) throw new RangeError(`limits.${name} is in seconds, more than 0.`)
  }
}
