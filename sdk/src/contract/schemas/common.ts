import * as z from 'zod/mini'
import { ERROR_CODES, type ErrorCode } from '../error-codes.ts'
import { GAMEMODES } from '../gamemodes.ts'
import { LIMITS } from '../limits.ts'
import { CATCH_NAME_PATTERN, USER_NAME_PATTERN, USER_NAME_RULE } from '../names.ts'
import { RARITIES, RARITY_LABELS, type RarityLabel, type RarityValue } from '../rarities.ts'

/** One of the four gamemodes. */
export const gamemodeSchema = z.enum(GAMEMODES)

/** The name of a fish or a crab. */
export const catchNameSchema = z
  .string()
  .check(z.regex(CATCH_NAME_PATTERN, 'Must be 1 to 100 characters with no control characters'))

/** The name of a new user, except `.` and `..`, which no URL path can contain (RFC 3986, 5.2.4). */
export const userNameSchema = z.string().check(
  z.regex(USER_NAME_PATTERN, `Must be ${USER_NAME_RULE}`),
  z.refine((name) => name !== '.' && name !== '..', 'Must not be "." or "..": such a name cannot stand in an address'),
)

/** A rarity in a write payload: an integer, 1 to 7. */
export const rarityValueSchema = z.literal(
  RARITIES.map((rarity) => rarity.value) as [RarityValue, ...RarityValue[]],
  'Must be an integer from 1 to 7',
)

/** A rarity in a response: its label. */
export const rarityLabelSchema = z.enum(RARITY_LABELS as unknown as [RarityLabel, ...RarityLabel[]])

/** A moment as an ISO 8601 date-time, with `Z` or an offset. */
export const momentSchema = z.iso
  .datetime({ offset: true, abort: true })
  .check(z.refine(hasFourDigitYear, 'Must be a date-time whose year in UTC has four digits'))

function hasFourDigitYear(moment: string): boolean {
  const year = new Date(moment).getUTCFullYear()
  return year >= 0 && year <= 9999
}

/** A chosen password. Lone surrogates are rejected: in UTF-8, all of them are the same. */
export const passwordSchema = z.string().check(
  z.minLength(LIMITS.minPasswordLength),
  z.maxLength(LIMITS.passwordLength),
  z.refine((password) => password.isWellFormed(), 'Must be Unicode text, without halves of surrogate pairs'),
)

/** Number of entries per page, as a query parameter. */
export const pageLimitSchema = z.pipe(
  z.string().check(z.regex(/^[0-9]+$/, 'Must be an integer in decimal digits')),
  z.coerce.number<string>().check(z.int(), z.minimum(1), z.maximum(LIMITS.pageSize)),
)

/** The start of the next page: the `nextCursor` of the previous one, unchanged. */
export const cursorSchema = z.string().check(z.minLength(1), z.maxLength(512))

/** The body of every error. */
export const errorBodySchema = z.object({
  error: z.string(),
  code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
  requestId: z.string(),
  details: z.optional(z.array(z.object({ path: z.string(), message: z.string() }))),
})

/** The body of every error. */
export type ErrorBody = z.infer<typeof errorBodySchema>
