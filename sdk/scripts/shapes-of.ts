import * as z from 'zod/mini'
import type { Shape } from '../src/client/shapes/shape.ts'

interface JsonSchema {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly const?: string | boolean
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly propertyNames?: { readonly enum?: readonly string[] }
  readonly additionalProperties?: JsonSchema | false
}

/** The shape that a schema of the contract describes. @throws Error for what shapes cannot say */
export function shapeOf(schema: z.ZodMiniType): Shape {
  return convert(z.toJSONSchema(schema, { io: 'output' }) as JsonSchema)
}

function convert(schema: JsonSchema): Shape {
  if (schema.const !== undefined) return { type: 'enum', values: [schema.const] }
  if (schema.enum) return { type: 'enum', values: schema.enum }
  if (schema.type === 'string') return { type: schema.format === 'date-time' ? 'date-time' : 'string' }
  if (schema.type === 'boolean') return { type: 'enum', values: [true, false] }
  if (schema.type === 'integer') return { type: 'count' }
  if (schema.type === 'array' && schema.items) return { type: 'array', items: convert(schema.items) }
  if (schema.propertyNames && schema.additionalProperties) {
    const keys = schema.propertyNames.enum
    return { type: 'record', ...(keys && { keys }), values: convert(schema.additionalProperties) }
  }
  if (schema.type !== 'object' || !schema.properties) throw new Error(`No shape for ${JSON.stringify(schema)}.`)
  const fields = Object.entries(schema.properties).map(([name, field]) => [name, convert(field)] as const)
  const isRequired = ([name]: readonly [string, Shape]) => schema.required?.includes(name) ?? false
  const required = Object.fromEntries(fields.filter(isRequired))
  const optional = fields.filter((field) => !isRequired(field))
  return { type: 'object', required, ...(optional.length > 0 && { optional: Object.fromEntries(optional) }) }
}
