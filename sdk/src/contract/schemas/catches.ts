import * as z from 'zod/mini'
import { DEFAULT_CRAB_NAME } from '../kinds.ts'
import { LIMITS } from '../limits.ts'
import {
  catchNameSchema,
  cursorSchema,
  gamemodeSchema,
  momentSchema,
  pageLimitSchema,
  rarityLabelSchema,
  rarityValueSchema,
} from './common.ts'

const savedFields = { id: z.optional(z.string()), caughtAt: z.optional(momentSchema) }

/** A fish as the read endpoint returns it; `id` and `caughtAt` with `detail=full`. */
const fishSchema = z.object({ name: z.string(), rarity: rarityLabelSchema, ...savedFields })

/** A crab as the read endpoint returns it; `id` and `caughtAt` with `detail=full`. */
const crabSchema = z.object({ name: z.string(), ...savedFields })

const collectionFields = { user: z.string(), nextCursor: z.optional(z.string()) }

/** The response to fish reads, oldest first. */
export const fishCollectionSchema = z.object({ ...collectionFields, fish: z.array(fishSchema) })

/** The response to crab reads, oldest first. */
export const crabCollectionSchema = z.object({ ...collectionFields, crab: z.array(crabSchema) })

const pageFields = { limit: z.optional(pageLimitSchema), cursor: z.optional(cursorSchema) }

/** The query of the reads without name and gamemode, which have their own errors. */
export const readOptionsSchema = z.object({ detail: z.optional(z.literal('full')), ...pageFields })

/** The query of the reads. */
export const readQuerySchema = z.object({
  name: z.string(),
  gamemode: gamemodeSchema,
  ...readOptionsSchema.shape,
})

const batch = <Entry extends z.ZodMiniType>(entry: Entry) =>
  z.array(entry).check(z.minLength(1), z.maxLength(LIMITS.entriesPerWrite))

/** Fish in a payload. */
export const fishEntriesSchema = batch(
  z.object({ name: catchNameSchema, rarity: rarityValueSchema, caughtAt: z.optional(momentSchema) }),
)

/** Otherwise, a fish that was sent to the path of crabs would be stored as a crab. */
const crabFields = {
  rarity: z.optional(z.never('Must be left out: a crab has none, and a fish belongs to the path that ends in /fish')),
}

/** Crabs in a payload. */
export const crabEntriesSchema = batch(
  z.object({
    name: z._default(catchNameSchema, DEFAULT_CRAB_NAME),
    caughtAt: z.optional(momentSchema),
    ...crabFields,
  }),
)

const saidFields = { user: z.optional(z.string()), gamemode: z.optional(z.string()) }

/** The long form of a fish payload. */
export const fishBatchPayloadSchema = z.object({ ...saidFields, fish: fishEntriesSchema })

/** The short form of a fish payload: one fish. */
export const oneFishPayloadSchema = z.object({ ...saidFields, fish: catchNameSchema, rarity: rarityValueSchema })

/** The long form of a crab payload. */
export const crabBatchPayloadSchema = z.object({ ...saidFields, crab: crabEntriesSchema })

/** The short form of a crab payload: one crab. */
export const oneCrabPayloadSchema = z.object({ ...saidFields, fish: catchNameSchema, ...crabFields })

/** The query of the writes: the user whose key encrypts the token, and the gamemode if no header has it. */
export const writeQuerySchema = z.object({ name: z.optional(z.string()), gamemode: z.optional(gamemodeSchema) })

/** The response to a write, with the id of the record. */
export const savedSchema = z.object({ message: z.string(), id: z.string() })

/** A fish as the read endpoint returns it. */
export type Fish = z.infer<typeof fishSchema>
/** A crab as the read endpoint returns it. */
export type Crab = z.infer<typeof crabSchema>
/** A fish in a payload. */
export type FishEntry = z.infer<typeof fishEntriesSchema>[number]
/** A crab in a payload. */
export type CrabEntry = z.infer<typeof crabEntriesSchema>[number]
/** The response to fish reads. */
export type FishCollection = z.infer<typeof fishCollectionSchema>
/** The response to crab reads. */
export type CrabCollection = z.infer<typeof crabCollectionSchema>
/** The response to a write. */
export type Saved = z.infer<typeof savedSchema>
