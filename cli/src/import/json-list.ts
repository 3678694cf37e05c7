import { type FileRecord, NO_JSON } from './records.ts'

/** A list of catches in a JSON object, such as `list --json` prints. */
export interface JsonList {
  readonly name: string
  readonly kind: 'fish' | 'crab'
  /** What the object said of all of them before the list. */
  readonly gamemode: unknown
  readonly isRepeated: boolean
}

const NAMES = 'fish|crabs?'

// The name must be a name: behind `{` or `,`, so that no text which holds such a name is taken for one.
const BEGINNING = new RegExp(`[{,]\\s*"(${NAMES})"\\s*:\\s*$`)

// Most characters of a name and the space around it.
const LONGEST_NAME = 200

/**
 * The list of catches that begins behind this text of an object, if one does.
 *
 * @param known Those of the object that began before.
 */
export function listThatBegins(text: string, known: readonly JsonList[]): JsonList | undefined {
  const [, name] = BEGINNING.exec(text.slice(-LONGEST_NAME)) ?? []
  if (name === undefined) return undefined
  // An object of thousands of lists must not be parsed for each of them.
  const isRepeated = known.some((list) => list.name === name)
  const gamemode = isRepeated ? undefined : gamemodeOf(`${text}[]}`)
  return { name, kind: name === 'fish' ? 'fish' : 'crab', gamemode, isRepeated }
}

/** A record of a list, with what its object says of all of them. */
export function recordOf(record: FileRecord, list: JsonList | undefined): FileRecord {
  if (!list || 'problem' in record) return record
  const { line, fields } = record
  const gamemode = fields.gamemode ?? list.gamemode
  const own = { ...fields, kind: fields.kind ?? list.kind }
  return { line, fields: gamemode === undefined ? own : { ...own, gamemode } }
}

/** What is wrong with an object whose lists were read, told of its first line. */
export function* endOfDocument(line: number, text: string, lists: readonly JsonList[]): Generator<FileRecord> {
  try {
    JSON.parse(text)
  } catch {
    yield { line, problem: NO_JSON }
    return
  }
  if (lists.some(({ isRepeated }) => isRepeated)) {
    yield { line, problem: 'Holds a list twice.' }
    return
  }
  const gamemode = gamemodeOf(text)
  if (lists.some((list) => list.gamemode !== gamemode)) {
    yield { line, problem: 'gamemode: Must stand before the list, and once.' }
  }
}

const BEFORE_LIST = `\\{\\s*(?:"[^"\\\\]*"\\s*:\\s*(?:"[^"\\\\]*"|[^"[\\]{},\\s]+)\\s*,\\s*)*"(?:${NAMES})"\\s*:\\s*\\[`
const DOCUMENT = new RegExp(`^\\s*${BEFORE_LIST}`)

/** Whether a text begins with an object that holds a list of catches, behind nothing but plain values. */
export function beginsWithLists(text: string): boolean {
  return DOCUMENT.test(text)
}

function gamemodeOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly gamemode?: unknown }).gamemode
  } catch {
    return undefined
  }
}
