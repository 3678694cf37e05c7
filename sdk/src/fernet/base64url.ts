const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const FOREIGN = 64

const CODES = /* @__PURE__ */ new TextEncoder().encode(ALPHABET)
const VALUES = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) => {
  const value = ALPHABET.indexOf(String.fromCharCode(code))
  return value < 0 ? FOREIGN : value
})

/** Base64 in the URL-safe alphabet with padding (RFC 4648 section 5). */
export function encodeBase64Url(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(0x3d)
  let bits = 0
  let held = 0
  let at = 0
  for (let index = 0; index < bytes.length; index++) {
    bits = ((bits & 0x3f) << 8) | (bytes[index] ?? 0)
    held += 8
    while (held >= 6) {
      held -= 6
      text[at++] = CODES[(bits >> held) & 0x3f] ?? 0
    }
  }
  if (held > 0) text[at] = CODES[(bits << (6 - held)) & 0x3f] ?? 0
  return new TextDecoder().decode(text)
}

/**
 * The bytes of URL-safe base64, or `undefined` unless the text is what `encodeBase64Url` answers, with its padding
 * whole or left out. Many spellings of one token would defeat whoever compares tokens as text.
 */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const length = unpaddedLength(text)
  if (length === undefined) return undefined
  const bytes = new Uint8Array((length * 3) >> 2)
  let bits = 0
  let held = 0
  let at = 0
  for (let index = 0; index < length; index++) {
    const value = VALUES[text.charCodeAt(index)] ?? FOREIGN
    if (value === FOREIGN) return undefined
    bits = ((bits & 0xff) << 6) | value
    held += 6
    if (held >= 8) {
      held -= 8
      bytes[at++] = bits >> held
    }
  }
  // RFC 4648 section 3.5: bits that stand for nothing must be zero.
  const leftover = bits & ((1 << held) - 1)
  return leftover === 0 ? bytes : undefined
}

function unpaddedLength(text: string): number | undefined {
  const length = text.endsWith('==') ? text.length - 2 : text.endsWith('=') ? text.length - 1 : text.length
  const padded = length !== text.length
  if (length % 4 === 1 || (padded && text.length % 4 !== 0)) return undefined
  return length
}
