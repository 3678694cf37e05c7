import { ERROR_CODES } from '@fish-crab/sdk/contract'
import { DEFAULT_CODES, FAULT_NAMES, type Fault } from './fault.ts'

/** The longest wait that can be ordered, in milliseconds (24 days): timers wait no longer, and would end at once. */
export const LONGEST_WAIT = 2 ** 31 - 1

/**
 * Refuses what is no fault: it may come from JSON.
 * @throws TypeError that says what there is
 */
export function checkFault(fault: Fault): Fault {
  if (typeof fault !== 'object' || fault === null) {
    if (FAULT_NAMES.includes(fault)) return fault
    throw new TypeError(`There is no such fault. Use one of ${FAULT_NAMES.join(', ')}, { status } or { latencyMs }.`)
  }
  if ('latencyMs' in fault) {
    if (isWait(fault.latencyMs)) return fault
    throw new TypeError(`latencyMs is in milliseconds, from 0 to ${LONGEST_WAIT}.`)
  }
  if (typeof fault.status !== 'number' || !Object.hasOwn(DEFAULT_CODES, fault.status)) {
    throw new TypeError(`status is one of ${Object.keys(DEFAULT_CODES).join(', ')}.`)
  }
  if (fault.code !== undefined && ERROR_CODES[fault.code]?.status !== fault.status) {
    throw new TypeError(`No error of status ${fault.status} has that code.`)
  }
  return fault
}

/** Whether something is a number of milliseconds that can be waited. */
export function isWait(milliseconds: number): boolean {
  return Number.isFinite(milliseconds) && milliseconds >= 0 && milliseconds <= LONGEST_WAIT
}
