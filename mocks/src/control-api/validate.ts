import type * as z from 'zod/mini'
import english from 'zod/v4/locales/en.js'
import type { Details } from './answers.ts'

const messages = english().localeError

/** The value as the schema has it, or what is wrong with it. */
export type Validated<Value> =
  | { readonly valid: true; readonly value: Value }
  | { readonly valid: false; readonly details: Details }

/** Holds a value against a schema. */
export function validate<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): Validated<z.output<Schema>> {
  const result = schema.safeParse(value, { error: messages })
  if (result.success) return { valid: true, value: result.data }
  const details = result.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }))
  return { valid: false, details }
}
