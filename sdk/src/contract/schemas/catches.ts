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

/** A fish as the read endpoint answers it; `id` and `caughtAt` with `detail=full`. */
const fishSchema = z.object({ name: z.string(), rarity: rarityLabelSchema, ...savedFields })

/** A crab as the read endpoint answers it; `id` and `caughtAt` with `detail=full`. */
const crabSchema = z.object({ name: z.string(), ...savedFields })

const collectionFields = { user: z.string(), nextCursor: z.optional(z.string()) }

/** The answer of the fish reads, oldest first. */
export const fishCollectionSchema = z.object({ ...collectionFields, fish: z.array(fishSchema) })

/** The answer of the crab reads, oldest first. */
export const crabCollectionSchema = z.object({ ...collectionFields, crab: z.array(crabSchema) })

const pageFields = { limit: z.optional(pageLimitSchema), cursor: z.optional(cursorSchema) }

/** The query of the reads that stays when name and gamemode, which have errors of their own, are known. */
export const readOptionsSchema = z.object({ detail: z.optional(z.literal('full')), ...pageFields })

/** The query of the reads. */
export const readQuerySchema = z.object({
  name: z.string(),
  gamemode: gamemodeSchema,
  ...readOptionsSchema.shape,
})

const batch = <Entry extends z.ZodMiniType>(entry: Entry) =>
  z.array(entry).check(z.minLength(1), z.maxLength(LIMITS.entriesPerWrite))

/** Fish as they are written. */
export const fishEntriesSchema = batch(
  z.object({ name: catchNameSchema, rarity: rarityValueSchema, caughtAt: z.optional(momentSchema) }),
)

/** A fish that was sent to the path of crabs would else be stored as a crab. */
const crabFields = {
  rarity: z.optional(z.never('Must be left out: a crab has none, and a fish belongs to the path that ends in /fish')),
}

/** Crabs as they are written. */
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

/** The query of the writes: whose key the token is encrypted with, and the gamemode where no header says it. */
export const writeQuerySchema = z.object({ name: z.optional(z.string()), gamemode: z.optional(gamemodeSchema) })

/** The answer to a write: what was saved, and the id of the record. */
export const savedSchema = z.object({ message: z.string(), id: z.string() })

/** A fish as the read endpoint answers it. */
export type Fish = z.infer<typeof fishSchema>
/** A crab as the read endpoint answers it. */
export type Crab = z.infer<typeof crabSchema>
/** A fish as it is written. */
export type FishEntry = z.infer<typeof fishEntriesSchema>[number]
/** A crab as it is written. */
export type CrabEntry = z.infer<typeof crabEntriesSchema>[number]
/** The answer of the fish reads. */
export type FishCollection = z.infer<typeof fishCollectionSchema>
/** The answer of the crab reads. */
export type CrabCollection = z.infer<typeof crabCollectionSchema>
/** The answer to a write. */
export type Saved = z.infer<typeof savedSchema>
