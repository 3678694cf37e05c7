import * as z from 'zod/mini'
import { momentSchema } from './common.ts'

const statusFields = { timestamp: momentSchema, version: z.string() }

/** The response of `/status` while the storage works. */
export const statusSchema = z.object({ status: z.literal('ok'), ...statusFields })

/** The response of `/status` while the storage is unreachable. */
export const unavailableStatusSchema = z.object({
  status: z.literal('unavailable'),
  ...statusFields,
  error: z.string(),
  code: z.literal('unavailable'),
  requestId: z.string(),
})

/** The response of the liveness and readiness probes. */
export const probeSchema = z.object({ status: z.literal('ok') })

/** The query of the key endpoint: the user, required for administrators and optional for players. */
export const keyQuerySchema = z.object({ name: z.optional(z.string()) })

/** The response of the key endpoint: base64 that decoders of both alphabets accept. */
export const keySchema = z.object({ fernetKey: z.string() })

/** The response of `/status` while the storage works. */
export type Status = z.infer<typeof statusSchema>
/** The response of the key endpoint. */
export type UserKey = z.infer<typeof keySchema>
