/**
 * Stores a text in the given format as 16 bytes, which is at most half the length of the text. Any other text is stored
 * unchanged.
 */
function packed(form: RegExp, format: (hex: string) => string) {
  return {
    toColumn: (text: string): string | Uint8Array =>
      form.test(text) ? Buffer.from(text.replaceAll('-', ''), 'hex') : text,
    fromColumn: (value: unknown): string => (value instanceof Uint8Array ? format(hexOf(value)) : String(value)),
  }
}

/** Converts record ids, which are usually UUIDs. */
export const packedId = packed(
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  (hex) => `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
)

/** Converts dedupe keys, which are usually 128-bit digests in hexadecimal digits. */
export const packedKey = packed(/^[\da-f]{32}$/, (hex) => hex)

function hexOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex')
}
