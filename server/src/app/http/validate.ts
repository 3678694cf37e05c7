import type { ErrorCode } from '@fish-crab/sdk/contract'
import type * as z from 'zod/mini'
import english from 'zod/v4/locales/en.js'
import { Failure, type FailureDetail } from './failure.ts'

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

/** The query of a request as the schema has it. A parameter may stand there twice with one value, not with two. */
export function validateQuery<Schema extends z.ZodMiniObject>(
  schema: Schema,
  query: URLSearchParams,
): z.output<Schema> {
  const said: Record<string, string> = {}
  const details: FailureDetail[] = []
  for (const name of Object.keys(schema.shape)) {
    const [value, ...others] = new Set(query.getAll(name))
    if (value !== undefined) said[name] = value
    if (others.length > 0) details.push({ path: name, message: 'Must not be given twice with different values' })
  }
  if (details.length > 0) throw new Failure('invalid_query', { details })
  return validate(schema, said, 'invalid_query')
}
