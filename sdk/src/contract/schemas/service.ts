import * as z from 'zod/mini'
import { momentSchema } from './common.ts'

const statusFields = { timestamp: momentSchema, version: z.string() }

/** The answer of `/status` while all is well. */
export const statusSchema = z.object({ status: z.literal('ok'), ...statusFields })

/** The answer of `/status` while the storage is out of reach. */
export const unavailableStatusSchema = z.object({
  status: z.literal('unavailable'),
  ...statusFields,
  error: z.string(),
  code: z.literal('unavailable'),
  requestId: z.string(),
})

/** The answer of the liveness and readiness probes. */
export const probeSchema = z.object({ status: z.literal('ok') })

/** The query of the key endpoint: administrators say whose key; players may leave it out. */
export const keyQuerySchema = z.object({ name: z.optional(z.string()) })

/** The answer of the key endpoint: base64 that both alphabets' decoders read. */
export const keySchema = z.object({ fernetKey: z.string() })

/** The answer of `/status` while all is well. */
export type Status = z.infer<typeof statusSchema>
/** The answer of the key endpoint. */
export type UserKey = z.infer<typeof keySchema>
