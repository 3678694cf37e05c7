import type { Issue } from '../../errors/fish-crab-error.ts'

/**
 * Reads the content of a response from its JSON. Drops unknown fields, and adds an issue for each invalid field to
 * `issues`.
 */
export type ResponseShape<Content> = (json: unknown, issues: Issue[]) => Content

/**
 * The shape of a response as data: the schemas of the contract without zod, which is larger than the rest of the
 * client. The `*.generated.ts` files in this folder are generated from the zod schemas.
 */
export type Shape =
  | { readonly type: 'string' | 'date-time' | 'count' }
  | { readonly type: 'enum'; readonly values: readonly (string | boolean)[] }
  | { readonly type: 'array'; readonly items: Shape }
  | { readonly type: 'record'; readonly keys?: readonly string[]; readonly values: Shape }
  | { readonly type: 'object'; readonly required: Shapes; readonly optional?: Shapes }

type Shapes = Readonly<Record<string, Shape>>

// RFC 3339 with a time zone. `Date.parse` checks the values, such as the month.
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** Makes a function that reads responses of a shape. */
export function responseShape<Content>(shape: Shape): ResponseShape<Content> {
  return (json, issues) => read(shape, json, issues) as Content
}

/** The shape of responses without a body. */
export const noContentShape: ResponseShape<object> = (json, issues) => {
  if (json !== null) issues.push({ path: '', message: 'Expected an empty body.' })
  return {}
}

function read(shape: Shape, value: unknown, issues: Issue[]): unknown {
  switch (shape.type) {
    case 'string':
      return typeof value === 'string' ? value : refuse('a string', issues)
    case 'date-time':
      return isDateTime(value) ? value : refuse('a date-time', issues)
    case 'count':
      return Number.isSafeInteger(value) && Number(value) >= 0 ? value : refuse('a whole number', issues)
    case 'enum':
      return shape.values.includes(value as string) ? value : refuse(`one of ${shape.values.join(', ')}`, issues)
    case 'array':
      if (!Array.isArray(value)) return refuse('an array', issues)
      return value.map((item, index) => readField(shape.items, item, index, issues))
    default:
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('an object', issues)
      return readFields(shape, value as Record<string, unknown>, issues)
  }
}

function refuse(expected: string, issues: Issue[]): undefined {
  issues.push({ path: '', message: `Must be ${expected}.` })
}

function readFields(
  shape: Extract<Shape, { type: 'object' | 'record' }>,
  value: Readonly<Record<string, unknown>>,
  issues: Issue[],
): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  if (shape.type === 'record') {
    for (const name of shape.keys ?? Object.keys(value)) {
      fields[name] = readField(shape.values, value[name], name, issues)
    }
    return fields
  }
  for (const name in shape.required) {
    fields[name] = readField(shape.required[name] as Shape, value[name], name, issues)
  }
  for (const name in shape.optional) {
    if (value[name] !== undefined) fields[name] = readField(shape.optional[name] as Shape, value[name], name, issues)
  }
  return fields
}

/**
 * Adds the field to the paths of issues only after reading: building a path for every field would cost more than
 * reading the field.
 */
function readField(shape: Shape, value: unknown, field: string | number, issues: Issue[]): unknown {
  const before = issues.length
  const content = read(shape, value, issues)
  for (let index = before; index < issues.length; index++) {
    const { path, message } = issues[index] as Issue
    issues[index] = { path: path === '' ? String(field) : `${field}.${path}`, message }
  }
  return content
}

function isDateTime(value: unknown): boolean {
  return typeof value === 'string' && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value))
}
