import type { Issue } from '../../errors/fish-crab-error.ts'

/** Reads the content of a response from its JSON, dropping unknown fields, and adds mistakes to `issues`. */
export type ResponseShape<Content> = (json: unknown, issues: Issue[]) => Content

/**
 * The shape of a response as data: the contract's zod schemas without zod, which is larger than the rest of the client.
 * The shapes beside this file are generated from those schemas.
 */
export type Shape =
  | { readonly type: 'string' | 'date-time' | 'count' }
  | { readonly type: 'enum'; readonly values: readonly string[] }
  | { readonly type: 'array'; readonly items: Shape }
  | { readonly type: 'record'; readonly keys?: readonly string[]; readonly values: Shape }
  | { readonly type: 'object'; readonly required: Shapes; readonly optional?: Shapes }

type Shapes = Readonly<Record<string, Shape>>

// RFC 3339 with zone; Date checks the rest, such as the length of months.
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** A shape, as a function that reads responses. */
export function responseShape<Content>(shape: Shape): ResponseShape<Content> {
  return (json, issues) => read(shape, json, '', issues) as Content
}

/** For responses without a body. */
export const noContentShape: ResponseShape<object> = (json, issues) => {
  if (json !== null) issues.push({ path: '', message: 'Expected an empty body.' })
  return {}
}

function read(shape: Shape, value: unknown, path: string, issues: Issue[]): unknown {
  const refuse = (expected: string) => {
    issues.push({ path, message: `Must be ${expected}.` })
  }
  switch (shape.type) {
    case 'string':
      return typeof value === 'string' ? value : refuse('a string')
    case 'date-time':
      return isDateTime(value) ? value : refuse('a date-time')
    case 'count':
      return Number.isSafeInteger(value) && Number(value) >= 0 ? value : refuse('a whole number')
    case 'enum':
      return shape.values.includes(value as string) ? value : refuse(`one of ${shape.values.join(', ')}`)
    case 'array':
      if (!Array.isArray(value)) return refuse('an array')
      return value.map((item, index) => read(shape.items, item, join(path, index), issues))
    default:
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('an object')
      return readFields(shape, value as Record<string, unknown>, path, issues)
  }
}

function readFields(
  shape: Extract<Shape, { type: 'object' | 'record' }>,
  value: Readonly<Record<string, unknown>>,
  path: string,
  issues: Issue[],
): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  const add = (name: string, of: Shape) => {
    fields[name] = read(of, value[name], join(path, name), issues)
  }
  if (shape.type === 'record') {
    for (const name of shape.keys ?? Object.keys(value)) add(name, shape.values)
    return fields
  }
  for (const [name, of] of Object.entries(shape.required)) add(name, of)
  for (const [name, of] of Object.entries(shape.optional ?? {})) if (value[name] !== undefined) add(name, of)
  return fields
}

function join(path: string, field: string | number): string {
  return path === '' ? String(field) : `${path}.${field}`
}

function isDateTime(value: unknown): boolean {
  return typeof value === 'string' && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value))
}
