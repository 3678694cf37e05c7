import { LIMITS } from '@fish-crab/sdk/contract'
import type * as z from 'zod/mini'
import { readBounded } from '../history/payload.ts'
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
  const body = await readBounded(request)
  if (body.byteLength > LIMITS.bodyBytes) throw new ControlFailure('payload_too_large')
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw new ControlFailure('invalid_payload', { details: [{ path: '', message: 'Must be JSON' }] })
  }
}
