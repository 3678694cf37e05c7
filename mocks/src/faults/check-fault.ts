import { ERROR_CODES } from '@fish-crab/sdk/contract'
import { DEFAULT_CODES, FAULT_NAMES, type Fault } from './fault.ts'

/**
 * Refuses what is no fault: it may come from JSON.
 * @throws TypeError that says what there is
 */
export function checkFault(fault: Fault): Fault {
  if (typeof fault === 'string') {
    if (FAULT_NAMES.includes(fault)) return fault
    throw new TypeError(`There is no such fault. Use one of ${FAULT_NAMES.join(', ')}, { status } or { latencyMs }.`)
  }
  if ('latencyMs' in fault) {
    if (Number.isFinite(fault.latencyMs) && fault.latencyMs >= 0) return fault
    throw new TypeError('latencyMs is in milliseconds, 0 or more.')
  }
  if (!Object.hasOwn(DEFAULT_CODES, fault.status)) {
    throw new TypeError(`status is one of ${Object.keys(DEFAULT_CODES).join(', ')}.`)
  }
  if (fault.code !== undefined && ERROR_CODES[fault.code]?.status !== fault.status) {
    throw new TypeError(`No error of status ${fault.status} has that code.`)
  }
  return fault
}
