import { fishClearItems, fishListItems, fishRemoveItem, fishSetItem } from './item-scripts.ts'
import { fishProbe } from './probe-script.ts'
import { fishAppend, fishFindRecord, fishRead, fishRemoveOwner, fishRemoveRecord } from './record-scripts.ts'
import type { Script } from './script.ts'
import { fishCount } from './window-script.ts'

/** Every script by the name it is called with. */
export const SCRIPTS = {
  fishAppend,
  fishFindRecord,
  fishRead,
  fishRemoveRecord,
  fishRemoveOwner,
  fishSetItem,
  fishRemoveItem,
  fishListItems,
  fishClearItems,
  fishCount,
  fishProbe,
} as const satisfies Record<string, Script>

/** Name of a script. */
export type ScriptName = keyof typeof SCRIPTS
