import type { MockLimits } from './service.ts'

const COUNTS = ['requests', 'adminRequests'] as const
const SPANS = ['windowSeconds', 'adminWindowSeconds', 'tokenTtlSeconds'] as const

/**
 * Refuses limits that would count nothing, or nonsense.
 * @throws RangeError that names the limit
 */
export function checkLimits(limits: MockLimits): void {
  for (const name of COUNTS) {
    const { [name]: count = 0 } = limits
    if (!(Number.isSafeInteger(count) && count >= 0))
      throw new RangeError(`limits.${name} is a whole number from 0 on.`)
  }
  for (const name of SPANS) {
    const { [name]: seconds = 1 } = limits
    if (!(Number.isFinite(seconds) && seconds > 0)) throw new RangeError(`limits.${name} is in seconds, more than 0.`)
  }
}
