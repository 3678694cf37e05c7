import { fishClearItems, fishListItems, fishRemoveItem, fishSetItem } from './item-scripts.ts'
import { fishProbe } from './probe-script.ts'
import { fishAppend, fishFindRecord, fishRead, fishRemoveOwner, fishRemoveRecord } from './record-scripts.ts'
import type { Script } from './script.ts'
import { fishCount } from './window-script.ts'

/**
 * Makes a script count what it changes, under one more key behind its own: it answers the count, 0 where it changed
 * nothing, and its own answer. A script says by its second result whether it changed something.
 *
 * A count begins with the time in microseconds: one that begins anew, as after an import, is not below an earlier one.
 */
function counting({ numberOfKeys, lua }: Script): Script {
  return {
    numberOfKeys: numberOfKeys + 1,
    lua: `
local function change()${lua}
end
local answer, isChanged = change()
if not isChanged then return {0, answer} end
local count = redis.call('INCR', KEYS[${numberOfKeys + 1}])
if count == 1 then
  local time = redis.call('TIME')
  count = redis.call('INCRBY', KEYS[${numberOfKeys + 1}], time[1] .. string.format('%06d', time[2]))
end
return {count, answer}`,
  }
}

/** The scripts that change what is acknowledged. */
const COUNTING_SCRIPTS = {
  fishAppend: counting(fishAppend),
  fishRemoveRecord: counting(fishRemoveRecord),
  fishRemoveOwner: counting(fishRemoveOwner),
  fishSetItem: counting(fishSetItem),
  fishRemoveItem: counting(fishRemoveItem),
  fishClearItems: counting(fishClearItems),
} as const satisfies Record<string, Script>

/** Every script by the name it is called with. */
export const SCRIPTS = {
  ...COUNTING_SCRIPTS,
  fishFindRecord,
  fishRead,
  fishListItems,
  fishCount,
  fishProbe,
} as const satisfies Record<string, Script>

/** Name of a script. */
export type ScriptName = keyof typeof SCRIPTS

/** Whether a script counts what it changes. */
export function countsChanges(script: ScriptName): boolean {
  return script in COUNTING_SCRIPTS
}
