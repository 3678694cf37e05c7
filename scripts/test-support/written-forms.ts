import { inspect } from 'node:util'

/** Returns the encodings in which a secret may appear in a file. */
export function writtenForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  const json = JSON.stringify(secret).slice(1, -1)
  const url = encodeURIComponent(secret)
  const forms = [
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    inspect(secret).slice(1, -1),
    url,
    encodeURI(secret),
    url.replaceAll('%20', '+'),
    bytes.toString('hex'),
    ...inBase64(bytes),
  ]
  // The search reads files as Latin-1, so the result also contains each form as Latin-1.
  return [...new Set(forms.flatMap((form) => [form, Buffer.from(form).toString('latin1')]))]
}

/**
 * Returns the base64 forms of these bytes at each offset modulo 3, without the characters at both ends that depend on
 * neighbouring bytes.
 */
function inBase64(bytes: Buffer): readonly string[] {
  const shifted = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    return text.slice(shift === 0 ? 0 : shift + 1, -1)
  })
  return shifted.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')])
}
