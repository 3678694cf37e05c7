import { ADMIN_ROLES, type ErrorBody, GAMEMODES } from '@fish-crab/sdk/contract'
import { HttpError, validate } from '@fish-crab/server/internal'
import * as z from 'zod/mini'
import { isFernetKey } from './apply-seed.ts'
import type { Seed } from './seed.ts'

const text = z.string().check(z.minLength(1))

const fishSchema = z.strictObject({
  name: text,
  rarity: z.union([z.int(), z.string()], { error: 'Must be a number from 1 to 7, or its label' }),
  caughtAt: z.optional(z.string()),
})
const crabSchema = z.strictObject({ name: z.optional(text), caughtAt: z.optional(z.string()) })

const byGamemode = <Entry extends z.ZodMiniType>(entry: Entry) =>
  z.optional(z.partialRecord(z.enum(GAMEMODES), z.array(entry)))

/** The shape of a seed. The service checks names and catches when the seed is applied. */
const seedSchema = z.strictObject({
  users: z.optional(
    z.array(
      z.strictObject({
        name: text,
        password: z.optional(text),
        fernetKey: z.optional(text.check(z.refine(isFernetKey, 'Must be 32 bytes in base64'))),
        apiKey: z.optional(text),
        fish: byGamemode(fishSchema),
        crab: byGamemode(crabSchema),
      }),
    ),
  ),
  admins: z.optional(
    z.array(z.strictObject({ username: text, password: text, role: z.optional(z.enum(ADMIN_ROLES)) })),
  ),
})

type Details = NonNullable<ErrorBody['details']>

/** A value is not a valid seed. The message and `details` do not repeat values, which may be keys. */
export class SeedError extends Error {
  override readonly name = 'SeedError'
  readonly details: Details

  constructor(details: Details) {
    super(details.map(({ path, message }) => `${path || 'the seed'}: ${message}`).join('; '))
    this.details = details
  }
}

/**
 * Validates a value from outside, such as a JSON file, as a seed.
 * @throws SeedError that lists all mistakes
 * @example
 * import { parseSeed } from '@fish-crab/mocks/standalone'
 * const mock = await createMock({ seed: parseSeed(JSON.parse(await readFile('seed.json', 'utf8'))) })
 */
export function parseSeed(value: unknown): Seed {
  try {
    // The service checks rarities and times when the seed is applied.
    return validate(seedSchema, value, 'invalid_payload') as Seed
  } catch (error) {
    throw error instanceof HttpError && error.details ? new SeedError([...error.details]) : error
  }
}
