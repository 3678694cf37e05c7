import {
  crabBatchPayloadSchema,
  fishBatchPayloadSchema,
  GAMEMODES,
  type Gamemode,
  newAdminSchema,
  newUserSchema,
  RARITY_LABELS,
  rarityValue,
  userNameKey,
} from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import * as z from 'zod/mini'
import english from 'zod/v4/locales/en.js'
import type { Seed } from './seed.ts'

/** The error of a value that is not a valid seed. The message contains no secrets. */
export class SeedError extends Error {
  override readonly name = 'SeedError'
  /** The mistakes, one sentence each. */
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(mistakes.join(' '))
    this.mistakes = mistakes
  }
}

/**
 * Validates a value, such as the content of a JSON file, as a seed.
 * @throws SeedError that lists each mistake with its path and, except for secrets, its value
 * @example
 * import { parseSeed } from '@fish-crab/mocks/standalone'
 * const mock = await createMock({ seed: parseSeed(JSON.parse(await readFile('seed.json', 'utf8'))) })
 */
export function parseSeed(value: unknown, gamemodes: readonly Gamemode[] = GAMEMODES): Seed {
  const { error } = seedSchema(gamemodes).safeParse(value, { error: messages, reportInput: true })
  if (error) throw new SeedError(error.issues.map(describe))
  return value as Seed
}

const messages = english().localeError
const SECRETS: readonly PropertyKey[] = ['password', 'fernetKey', 'apiKey']

function describe({ path, message, input }: z.core.$ZodIssue): string {
  const isShown = ['string', 'number', 'boolean'].includes(typeof input) && !SECRETS.includes(path.at(-1) ?? '')
  const value = isShown ? ` (given: ${JSON.stringify(input)})` : ''
  // The namespace `core` would add all of zod to a page, so `z.core.toDotPath` is not used.
  const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return `seed${place}: ${message}${value}.`
}

function seedSchema(gamemodes: readonly Gamemode[]) {
  const byGamemode = <Entry extends z.ZodMiniType>(entry: Entry) =>
    z.optional(z.strictObject(Object.fromEntries(gamemodes.map((name) => [name, z.optional(z.array(entry))]))))
  const text = z.string().check(z.minLength(1))
  const user = z.strictObject({
    name: newUserSchema.shape.name,
    password: z.optional(text),
    fernetKey: z.optional(z.string().check(z.refine(isFernetKey, 'Must be 32 bytes in base64'))),
    apiKey: z.optional(text),
    fish: byGamemode(z.strictObject({ ...fishBatchPayloadSchema.shape.fish.def.element.shape, rarity: raritySchema })),
    crab: byGamemode(z.strictObject(crabBatchPayloadSchema.shape.crab.def.element.shape)),
  })
  const admin = z.strictObject({
    username: newAdminSchema.shape.username,
    password: text,
    role: newAdminSchema.shape.role,
  })
  return z.strictObject({
    users: z.optional(
      z.array(user).check(
        unique('name', ({ name }) => userNameKey(name)),
        unique('API key', ({ apiKey }) => apiKey),
      ),
    ),
    admins: z.optional(z.array(admin)),
  })
}

const raritySchema = z
  .union([z.string(), z.number()])
  .check(
    z.refine((rarity) => rarityValue(rarity) !== undefined, `Must be 1 to 7 or one of ${RARITY_LABELS.join(', ')}`),
  )

function unique<User extends { readonly name: string }>(what: string, keyOf: (user: User) => string | undefined) {
  return z.superRefine<readonly User[]>((users, context) => {
    const owners = new Map<string, string>()
    for (const user of users) {
      const key = keyOf(user)
      const other = key === undefined ? undefined : owners.get(key)
      if (other !== undefined) context.addIssue(`The users "${other}" and "${user.name}" have the same ${what}`)
      if (key !== undefined) owners.set(key, user.name)
    }
  })
}

function isFernetKey(key: string): boolean {
  try {
    createFernet(key)
    return true
  } catch {
    return false
  }
}
