import type { ErrorCode } from '@fish-crab/sdk/contract'
import type * as z from 'zod/mini'
import english from 'zod/v4/locales/en.js'
import { Failure } from './failure.ts'

const messages = english().localeError

/** The value as the schema has it, or a failure that lists what is wrong with it. */
export function validate<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  code: Extract<ErrorCode, 'invalid_payload' | 'invalid_query'>,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: messages })
  if (result.success) return result.data
  throw new Failure(code, {
    details: result.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message })),
  })
}

/** The query of a request as the schema has it; of a parameter that stands twice the first counts. */
export function validateQuery<Schema extends z.ZodMiniObject>(
  schema: Schema,
  query: URLSearchParams,
): z.output<Schema> {
  const said: Record<string, string> = {}
  for (const name of Object.keys(schema.shape)) {
    const value = query.get(name)
    if (value !== null) said[name] = value
  }
  return validate(schema, said, 'invalid_query')
}
