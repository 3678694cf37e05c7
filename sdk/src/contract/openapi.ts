import * as z from 'zod/mini'
import { ERROR_CODES, type ErrorCode } from './error-codes.ts'
import { GAMEMODES, type Gamemode } from './gamemodes.ts'
import { EVENT_STREAM, HEADERS, MEDIA_TYPES } from './headers.ts'
import { DEFAULT_CRAB_NAME } from './kinds.ts'
import { type Authentication, OPERATIONS, type Operation, PAGE_TYPES } from './operations.ts'
import { type Access, ROUTES, type RouteName } from './routes.ts'
import {
  byGamemodeSchema,
  catchNameSchema,
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

/** An API key is optional on routes that the rate limit counts. */
const OPTIONAL_KEY: readonly OpenApiObject[] = [{}, { apiKey: [] }]

const COMMON_ERRORS: Readonly<Record<Access, readonly ErrorCode[]>> = {
  public: ['malformed_request', 'rate_limited', 'internal_error', 'storage_error', 'storage_full'],
  admin: ['malformed_request', 'rate_limited', 'internal_error', 'storage_error', 'storage_full'],
  operations: ['malformed_request', 'internal_error'],
}

const TAGS: Readonly<Record<Access, string>> = {
  public: 'Collections, catches and keys of players. One rate limit counts all of them.',
  admin: 'Users, administrators, statistics and the audit log, with the session of an administrator.',
  operations: 'Health, metrics and this document, without a rate limit.',
}

const RESPONSE_HEADERS = {
  [HEADERS.requestId]: header('Identifies the request in the log: that of the client if it is valid.', 'string'),
  [HEADERS.rateLimit]: header('Requests that a window allows. Absent if the request is not counted.', 'integer'),
  [HEADERS.rateRemaining]: header('Requests that are left in the window.', 'integer'),
  [HEADERS.rateReset]: header('End of the window, in Unix seconds.', 'integer'),
  [HEADERS.retryAfter]: header('Seconds to wait before the next attempt.', 'integer'),
  [HEADERS.replayed]: header('`true`: the token was stored before, and nothing was stored now.', 'string'),
  etag: header('The version of the response, for `If-None-Match`.', 'string'),
  'www-authenticate': header('How to authenticate (RFC 7617).', 'string'),
} as const

type ResponseHeader = keyof typeof RESPONSE_HEADERS

function header(description: string, type: 'string' | 'integer'): OpenApiObject {
  return { description, schema: { type } }
}

function headersOf({ access }: { readonly access: Access }, { auth, revalidates, also }: Operation, status: number) {
  const names: ResponseHeader[] = [HEADERS.requestId]
  if (access === 'public') names.push(HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset)
  if (status === 429 || status === 503) names.push(HEADERS.retryAfter)
  if (status === 401 && auth === 'basic') names.push('www-authenticate')
  if ((status === 200 || status === 304) && revalidates) names.push('etag')
  if (also?.[status]?.isReplay) names.push(HEADERS.replayed)
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const SESSION_ERRORS = ['invalid_session', 'forbidden'] as const

/**
 * The OpenAPI 3.1 document of the service, generated from the same schemas that validate requests and responses. The
 * document omits HTML pages and pictures.
 * @example JSON.stringify(openApiDocument({ version: '1.0.0' }))
 */
export function openApiDocument({ version, routes, gamemodes = GAMEMODES }: OpenApiOptions): OpenApiObject {
  const toJsonSchema = jsonSchemaWriter(gamemodes)
  const paths: Record<string, OpenApiObject> = {}
  for (const name of routes ?? (Object.keys(ROUTES) as RouteName[])) {
    const { method, path } = ROUTES[name]
    if (Object.values<string | undefined>(PAGE_TYPES).includes(OPERATIONS[name].success.type)) continue
    const template = path.replace(/:(\w+)/g, '{$1}')
    paths[template] = { ...paths[template], [method.toLowerCase()]: describe(name, toJsonSchema) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Fish and Crab Collection Service',
      version,
      description: 'Stores and returns collections of fish and crabs that players of a Minecraft server catch.',
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { Error: toJsonSchema(errorBodySchema) },
      headers: RESPONSE_HEADERS,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: HEADERS.apiKey, description: 'Lifts the rate limit.' },
        basic: { type: 'http', scheme: 'basic' },
        session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  }
}

function describe(name: RouteName, toJsonSchema: JsonSchemaWriter): OpenApiObject {
  const operation = OPERATIONS[name]
  const { access, path } = ROUTES[name]
  const response = responseWriter(toJsonSchema, (status) => headersOf({ access }, operation, status))
  const { success, also = {}, revalidates } = operation
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
      [success.status]: response(success.status, 'Success', success),
      ...(revalidates ? { 304: response(304, 'The client has the current version.', { type: undefined }) } : {}),
      ...Object.fromEntries(
        Object.entries(also).map(([status, one]) => [
          status,
          response(Number(status), one.isReplay ? 'The token was stored before.' : 'Also possible', one),
        ]),
      ),
      ...errorResponses(
        [...operation.errors, ...(session ? SESSION_ERRORS : []), ...COMMON_ERRORS[access]],
        Object.keys(also),
        response,
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

interface Content {
  readonly schema?: z.ZodMiniType | OpenApiObject
  readonly type?: string | undefined
}

type ResponseWriter = (status: number, description: string, content: Content) => OpenApiObject

function responseWriter(toJsonSchema: JsonSchemaWriter, headersFor: (status: number) => OpenApiObject): ResponseWriter {
  return (status, description, { schema, type = schema ? MEDIA_TYPES.json : undefined }) => {
    const json = schema instanceof z.ZodMiniType ? toJsonSchema(schema) : schema
    const content = type === undefined ? {} : { content: { [type]: json ? { schema: json } : {} } }
    return { description, headers: headersFor(status), ...content }
  }
}

function errorResponses(
  codes: readonly ErrorCode[],
  taken: readonly string[],
  response: ResponseWriter,
): OpenApiObject {
  const byStatus = Map.groupBy(new Set(codes), (code) => ERROR_CODES[code].status)
  return Object.fromEntries(
    [...byStatus]
      .filter(([status]) => !taken.includes(String(status)))
      .map(([status, group]) => [
        status,
        response(status, group.map((code) => `\`${code}\`: ${ERROR_CODES[code].message}`).join('\n\n'), {
          schema: { $ref: '#/components/schemas/Error' },
        }),
      ]),
  )
}

type JsonSchemaWriter = (schema: z.ZodMiniType, io?: 'input' | 'output') => OpenApiObject

/**
 * Examples of values in requests. The service would reject the examples that API tools generate, such as a crab with a
 * rarity.
 */
const EXAMPLES: ReadonlyMap<unknown, unknown> = new Map<unknown, unknown>([
  [fishEntriesSchema, [{ name: 'Salmon', rarity: 3 }]],
  [crabEntriesSchema, [{ name: DEFAULT_CRAB_NAME }]],
  [newUserSchema, { name: 'Alex' }],
])

const CATCH_NAME_JSON = { minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' }

/** The schemas accept any gamemode, but the document lists the gamemodes of one service. */
function jsonSchemaWriter(gamemodes: readonly Gamemode[]): JsonSchemaWriter {
  return (schema, io = 'output') => {
    const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        if (zodSchema === gamemodeSchema) jsonSchema.enum = [...gamemodes]
        // Many regular expression engines do not support `\\p`, and JSON text contains no lone surrogates.
        if (zodSchema === catchNameSchema) Object.assign(jsonSchema, CATCH_NAME_JSON)
        // The format `date-time` makes the pattern redundant.
        if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
        if (EXAMPLES.has(zodSchema)) jsonSchema.examples = [EXAMPLES.get(zodSchema)]
        if (zodSchema === byGamemodeSchema) jsonSchema.required = [...gamemodes]
        defineRequiredKeys(jsonSchema)
      },
    })
    return jsonSchema
  }
}

/** Linters and generators of clients expect that `properties` defines required keys, also those of a record. */
function defineRequiredKeys(schema: z.core.JSONSchema.BaseSchema): void {
  const { propertyNames, required, additionalProperties: value } = schema
  if (propertyNames === undefined || required === undefined || value === undefined) return
  schema.properties = Object.fromEntries(required.map((key) => [key, value]))
  schema.additionalProperties = false
  delete schema.propertyNames
}
