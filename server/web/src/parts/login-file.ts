export interface LoginSecrets {
  readonly password?: string | undefined
  readonly fernetKey?: string | undefined
  readonly apiKey?: string | undefined
}

/** The login data of a player, as one JSON document that an administrator hands over. */
export interface LoginFile extends LoginSecrets {
  /** Address of the service. */
  readonly service: string
  readonly name: string
  readonly gamemode?: string | undefined
}

const VERSION = 1

// Windows opens a device instead of a file with such a name, with any extension.
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i

const percentEncode = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** Returns a file name that is safe on every system: `..` is a valid name of a player. */
export function loginFileName(player: string): string {
  const encoded = player.replace(/[^\w-]/g, percentEncode)
  return `${DEVICE.test(encoded) ? encoded.replace(/^./, percentEncode) : encoded}.json`
}

const OPTIONAL_FIELDS = ['password', 'fernetKey', 'apiKey', 'gamemode'] as const

export function formatLoginFile({ service, name, ...rest }: LoginFile): string {
  const given = OPTIONAL_FIELDS.flatMap((field) => (rest[field] === undefined ? [] : [[field, rest[field]]]))
  return `${JSON.stringify({ version: VERSION, service, name, ...Object.fromEntries(given) }, undefined, 2)}\n`
}

/**
 * Returns the parsed file, or its problem as a phrase. The phrase contains no part of the file, because the file is
 * secret.
 */
export function parseLoginFile(text: string): LoginFile | string {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return 'it is not JSON'
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return 'it is not a JSON object'
  const { version, service, name, ...rest } = document as Readonly<Record<string, unknown>>
  if (typeof version === 'number' && version > VERSION) return 'a newer version wrote it'
  if (version !== VERSION) return 'its version is missing or wrong'
  if (!isText(service)) return 'service is missing or wrong'
  if (!isText(name)) return 'name is missing or wrong'
  const wrong = OPTIONAL_FIELDS.find((field) => rest[field] !== undefined && !isText(rest[field]))
  if (wrong !== undefined) return `${wrong} is wrong`
  const given = OPTIONAL_FIELDS.flatMap((field) => (rest[field] === undefined ? [] : [[field, rest[field]]]))
  return { service, name, ...Object.fromEntries(given) }
}

// Whether a value is a text of 1 to 2,048 characters without control characters.
function isText(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{Cc}]{1,2048}$/u.test(value)
}
