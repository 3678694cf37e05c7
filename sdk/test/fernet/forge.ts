import { createCipheriv, createHmac } from 'node:crypto'

/** Creates a raw token with a valid MAC from the given padded plaintext, to test the checks after the MAC check. */
export function forgeToken(key: string, padded: Uint8Array, version = 0x80): Uint8Array {
  const secret = Buffer.from(key, 'base64url')
  const iv = Buffer.alloc(16, 7)
  const cipher = createCipheriv('aes-128-cbc', secret.subarray(16), iv).setAutoPadding(false)
  const ciphertext = Buffer.concat([cipher.update(padded), cipher.final()])
  const body = Buffer.concat([Buffer.from([version]), Buffer.alloc(8), iv, ciphertext])
  const mac = createHmac('sha256', secret.subarray(0, 16)).update(body).digest()
  return new Uint8Array(Buffer.concat([body, mac]))
}
