import type { LoginFile } from '../parts/login-file.ts'

/** The choices of a player. */
export interface Choice {
  /** The name of a new player. @default the link belongs to a player */
  readonly name?: string
  /** @default a generated password */
  readonly password?: string
}

/** A refusal of the service. */
export class Refusal extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Returns a new nonce. `crypto.randomUUID` exists only on pages with HTTPS. */
export function newNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const TIMEOUT_MS = 30_000

/**
 * Redeems a link. A repetition with the same nonce gets the same response, so a lost response loses nothing.
 * @throws Refusal of the service, or another error if no response came
 */
export async function redeem(token: string, nonce: string, choice: Choice): Promise<LoginFile> {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), TIMEOUT_MS)
  const response = await fetch('/user/login-link', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, nonce, ...choice }),
    signal: controller.signal,
  })
  const body = await response.json()
  if (response.ok) return body as LoginFile
  const { code, error, details } = body as {
    code: string
    error: string
    details?: { path: string; message: string }[]
  }
  throw new Refusal(code, details?.map(({ path, message }) => `${path}: ${message}.`).join(' ') || error)
}
