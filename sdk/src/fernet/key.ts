const KEY_FORM = /^(?:[A-Za-z0-9_-]{43}|[A-Za-z0-9+/]{43})=?$/

/** Whether a value has the format of a Fernet key. Only `createFernet` checks a key fully. */
export function isKeyFormat(value: unknown): boolean {
  return typeof value === 'string' && KEY_FORM.test(value)
}
