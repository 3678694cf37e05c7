/** An error and what caused it, down to the first cause; also those of another realm, as test runners make them. */
export function* causes(error: unknown): Generator<Error> {
  for (let each = error; isError(each); each = each.cause) yield each
}

function isError(value: unknown): value is Error {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Error>).message === 'string'
}
