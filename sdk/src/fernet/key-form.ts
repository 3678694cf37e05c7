const KEY_FORM = /^(?:[A-Za-z0-9_-]{43}|[A-Za-z0-9+/]{43})=?$/

/** Whether a value looks like a Fernet key: 32 bytes in base64 of one alphabet. Making a Fernet of it is the proof. */
export function hasKeyForm(value: unknown): boolean {
  return typeof value === 'string' && KEY_FORM.test(value)
}
