import * as z from 'zod/mini'
import { ERROR_CODES, type ErrorCode } from './error-codes.ts'
import { GAMEMODES, type Gamemode } from './gamemodes.ts'
import { EVENT_STREAM, HEADERS, MEDIA_TYPES } from './headers.ts'
import { DEFAULT_CRAB_NAME } from './kinds.ts'
import { type Authentication, OPERATIONS, type Operation } from './operations.ts'
import { type Access, ROUTES, type RouteName } from './routes.ts'
import {
  byGamemodeSchema,
  crabEntriesSchema,
  errorBodySchema,
  fishEntriesSchema,
  gamemodeSchema,
  newUserSchema,
} from './schemas.ts'

/** A JSON object of an OpenAPI document. */
export type OpenApiObject = Record<string, unknown>

/** Options of {@link openApiDocument}. */
export interface OpenApiOptions {
  /** Version of the API. */
  readonly version: string
  /** The routes to describe. @default every route of the contract */
  readonly routes?: readonly RouteName[]
  /** The gamemodes of the service. @default GAMEMODES */
  readonly gamemodes?: readonly Gamemode[]
}

const SECURITY: Readonly<Record<Authentication, OpenApiObject[]>> = {
  none: [],
  basic: [{ basic: [] }],
  admin: [{ session: [] }],
  superadmin: [{ session: [] }],
}

/** Of what the rate limit counts. */
const OPTIONAL_KEY: readonly OpenApiObject[] = [{}, { apiKey: [] }]

const COMMON_ERRORS: Readonly<Record<Access, readonly ErrorCode[]>> = {
  public: ['rate_limited', 'internal_error', 'storage_error'],
  admin: ['rate_limited', 'internal_error', 'storage_error'],
  operations: ['internal_error'],
}

const SESSION_ERRORS = ['invalid_session', 'forbidden'] as const

/**
 * The OpenAPI 3.1 document of the service, generated from the same schemas that validate requests and responses.
 * @example JSON.stringify(openApiDocument({ version: '1.0.0' }))
 */
export function openApiDocument({ version, routes, gamemodes = GAMEMODES }: OpenApiOptions): OpenApiObject {
  const toJsonSchema = jsonSchemaWriter(gamemodes)
  const paths: Record<string, OpenApiObject> = {}
  for (const name of routes ?? (Object.keys(ROUTES) as RouteName[])) {
    const { method, path } = ROUTES[name]
    const template = path.replace(/:(\w+)/g, '{$1}')
    paths[template] = { ...paths[template], [method.toLowerCase()]: describe(name, toJsonSchema) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Fish and Crab Collection Service',
      version,
      description: 'Stores and returns collections of fish and crabs that players of a Minecraft server catch.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Error: toJsonSchema(errorBodySchema) },
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: HEADERS.apiKey, description: 'Lifts the rate limit.' },
        basic: { type: 'http', scheme: 'basic' },
        session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  }
}

function describe(name: RouteName, toJsonSchema: JsonSchemaWriter): OpenApiObject {
  const response = responseWriter(toJsonSchema)
  const operation = OPERATIONS[name]
  const { access, path } = ROUTES[name]
  const session = operation.auth === 'admin' || operation.auth === 'superadmin'
  return {
    operationId: name,
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    tags: [access],
    security: operation.auth === 'none' && access === 'public' ? OPTIONAL_KEY : SECURITY[operation.auth],
    parameters: parameters(path, operation, toJsonSchema),
    ...(operation.body ? { requestBody: requestBody(operation.body, toJsonSchema) } : {}),
    responses: {
      [operation.success.status]: response('Success', operation.success.schema, operation.success.type),
      ...Object.fromEntries(
        Object.entries(operation.also ?? {}).map(([status, { schema, type }]) => [
          status,
          response('Also possible', schema, type),
        ]),
      ),
      ...errorResponses(
        [...operation.errors, ...(session ? SESSION_ERRORS : []), ...COMMON_ERRORS[access]],
        Object.keys(operation.also ?? {}),
      ),
    },
  }
}

function parameters(path: string, operation: Operation, toJsonSchema: JsonSchemaWriter): OpenApiObject[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, key]) => ({
    name: key,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = operation.query
    ? Object.entries(operation.query.shape).map(([name, schema]) => ({
        name,
        in: 'query',
        required: !(schema instanceof z.ZodMiniOptional),
        schema: toJsonSchema(schema as z.ZodMiniType),
      }))
    : []
  const inHeader =
    operation.body?.type === MEDIA_TYPES.token
      ? [{ name: HEADERS.gamemode, in: 'header', required: false, schema: toJsonSchema(gamemodeSchema) }]
      : []
  const lastEventId =
    operation.success.type === EVENT_STREAM.type
      ? [{ name: EVENT_STREAM.lastEventId, in: 'header', required: false, schema: { type: 'string' } }]
      : []
  return [...inPath, ...inQuery, ...inHeader, ...lastEventId]
}

function requestBody({ type, schema }: NonNullable<Operation['body']>, toJsonSchema: JsonSchemaWriter): OpenApiObject {
  const content = schema ? { schema: toJsonSchema(schema, 'input') } : {}
  return {
    required: true,
    content: { [type]: content },
    ...(schema ? {} : { description: 'A Fernet token: base64url text, or its raw bytes.' }),
  }
}

function responseWriter(toJsonSchema: JsonSchemaWriter) {
  return (description: string, schema?: z.ZodMiniType, type: string = MEDIA_TYPES.json): OpenApiObject => {
    if (schema) return { description, content: { [type]: { schema: toJsonSchema(schema) } } }
    return type === MEDIA_TYPES.json ? { description } : { description, content: { [type]: {} } }
  }
}

function errorResponses(codes: readonly ErrorCode[], taken: readonly string[]): OpenApiObject {
  const byStatus = Map.groupBy(new Set(codes), (code) => ERROR_CODES[code].status)
  return Object.fromEntries(
    [...byStatus]
      .filter(([status]) => !taken.includes(String(status)))
      .map(([status, group]) => [
        status,
        {
          description: group.map((code) => `\`${code}\`: ${ERROR_CODES[code].message}`).join('\n\n'),
          content: { [MEDIA_TYPES.json]: { schema: { $ref: '#/components/schemas/Error' } } },
        },
      ]),
  )
}

type JsonSchemaWriter = (schema: z.ZodMiniType, io?: 'input' | 'output') => OpenApiObject

/** What is sent where somebody tries a request out: made up by a rule, it would be refused, such as a crab with a rarity. */
const EXAMPLES: ReadonlyMap<unknown, unknown> = new Map<unknown, unknown>([
  [fishEntriesSchema, [{ name: 'Salmon', rarity: 3 }]],
  [crabEntriesSchema, [{ name: DEFAULT_CRAB_NAME }]],
  [newUserSchema, { name: 'Alex' }],
])

/** The schemas leave the gamemodes open, since each service has its own. */
function jsonSchemaWriter(gamemodes: readonly Gamemode[]): JsonSchemaWriter {
  return (schema, io = 'output') => {
    const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        if (zodSchema === gamemodeSchema) jsonSchema.enum = [...gamemodes]
        if (EXAMPLES.has(zodSchema)) jsonSchema.examples = [EXAMPLES.get(zodSchema)]
        if (zodSchema === byGamemodeSchema) jsonSchema.required = [...gamemodes]
      },
    })
    return jsonSchema
  }
}
