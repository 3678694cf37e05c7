import type { Issue } from '@fish-crab/sdk'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type * as z from 'zod/mini'
import { SHAPE_FILES } from '../../scripts/shape-files.ts'
import { shapeOf } from '../../scripts/shapes-of.ts'
import { responseShape, type Shape } from '../../src/client/shapes/shape.ts'

const schemas = SHAPE_FILES.flatMap((file) =>
  Object.entries(file.schemas).map(([name, { schema }]) => ({ name, schema })),
)

/** Generates values that mostly match the shape, with occasional mismatches. */
function valuesNear(shape: Shape): fc.Arbitrary<unknown> {
  const odd = fc.oneof(fc.jsonValue(), fc.constantFrom(undefined, null, -1, 1.5, 2 ** 53, '', [], {}))
  return fc.oneof({ arbitrary: fitting(shape), weight: 60 }, { arbitrary: odd, weight: 1 })
}

function fitting(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.type) {
    case 'string':
      return fc.string()
    case 'count':
      return fc.nat()
    case 'date-time':
      return fc.oneof(
        {
          arbitrary: fc
            .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
            .map((date) => date.toISOString()),
          weight: 19,
        },
        {
          arbitrary: fc.constantFrom(
            ...['2026-01-01T00:00:00+02:00', '2026-01-01', '2026-13-01T00:00:00Z', '2026-01-01T00:00Z', 'now'],
          ),
          weight: 1,
        },
      )
    case 'enum':
      return fc.constantFrom(...shape.values)
    case 'array':
      return fc.array(valuesNear(shape.items), { maxLength: 3 })
    case 'record':
      return shape.keys
        ? fc.record(Object.fromEntries(shape.keys.map((key) => [key, valuesNear(shape.values)])))
        : fc.dictionary(fc.string(), valuesNear(shape.values), { noNullPrototype: true, maxKeys: 3 })
    default: {
      const fields = Object.entries({ ...shape.required, ...shape.optional }).map(([name, of]) => [
        name,
        valuesNear(of),
      ])
      const model: Record<string, fc.Arbitrary<unknown>> = { ...Object.fromEntries(fields), unknown: fc.jsonValue() }
      return fc.oneof(
        { arbitrary: fc.record(model, { requiredKeys: Object.keys(shape.required) }), weight: 19 },
        { arbitrary: fc.record(model, { requiredKeys: [] }), weight: 1 },
      )
    }
  }
}

describe.each(schemas)('the shape of $name', ({ schema }: { readonly schema: z.ZodMiniType }) => {
  test('accepts the same values as the schema', () => {
    const shape = shapeOf(schema)
    let taken = 0
    fc.assert(
      fc.property(valuesNear(shape), (value) => {
        const issues: Issue[] = []
        const content = responseShape(shape)(value, issues)
        const bySchema = schema.safeParse(value)
        expect(issues.length === 0).toBe(bySchema.success)
        if (!bySchema.success) return
        taken += 1
        expect(content).toEqual(bySchema.data)
      }),
      { numRuns: 300 },
    )
    expect(taken).toBeGreaterThan(10)
  })
})

test('an invalid field is reported with its path', () => {
  const shape: Shape = {
    type: 'object',
    required: {
      fish: { type: 'array', items: { type: 'object', required: { name: { type: 'string' } }, optional: {} } },
    },
    optional: {},
  }
  const issues: Issue[] = []
  responseShape(shape)({ fish: [{ name: 'Cod' }, { name: 5 }] }, issues)
  expect(issues).toEqual([{ path: 'fish.1.name', message: 'Must be a string.' }])
})
