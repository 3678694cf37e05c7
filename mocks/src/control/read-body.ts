import type * as z from 'zod/mini'
import { ControlFailure } from './answers.ts'
import { validate } from './validate.ts'

/** The JSON body of a request as the schema has it, or a failure that lists what is wrong with it. */
export async function readBody<Schema extends z.ZodMiniType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  const result = validate(schema, await readJson(request))
  if (result.valid) return result.value
  throw new ControlFailure('invalid_payload', { details: result.details })
}

async function readJson(request: Request): Promise<unknown> {
  try {
    return JSON.parse(await request.text())
  } catch {
    throw new ControlFailure('invalid_payload', { details: [{ path: '', message: 'Must be JSON' }] })
  }
}
