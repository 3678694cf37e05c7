/** What `createFernet` takes besides the keys. */
export interface FernetOptions {
  /** The clock, in unix milliseconds, for calls that are given no `now`. @default Date.now */
  readonly now?: () => number
}

/** What one encryption may be told. */
export interface EncryptOptions {
  /** The token's time in unix milliseconds. Its whole seconds stand readable in the token. @default the clock */
  readonly now?: number
  /** The 16 bytes of the initialization vector. For tests: one used twice betrays equal messages. @default random */
  readonly iv?: Uint8Array
}

/** What one decryption may be told. */
export interface DecryptOptions {
  /** Greatest age in whole seconds, 0 or more. Tokens over 60 s ahead of the clock are refused too. @default any age */
  readonly ttlSeconds?: number
  /** The time to judge the age by, in unix milliseconds. Unused without `ttlSeconds`. @default the clock */
  readonly now?: number
}

/** What an authentic token held. */
export interface DecryptedToken {
  /** The message. Text is in it as UTF-8. */
  readonly message: Uint8Array
  /** When the token says it was made, in unix seconds: unsigned 64 bits, by the sender's clock. */
  readonly timestamp: bigint
  /** The token's HMAC-SHA256, 32 bytes: the same for every spelling of one token, different for any two tokens. */
  readonly mac: Uint8Array
}

/** Encrypts and decrypts tokens of the Fernet specification under one key or several. Made by `createFernet`. */
export interface Fernet {
  /**
   * Encrypts bytes, or text as UTF-8, with the first key. An empty message is fine.
   *
   * @returns The token in URL-safe base64 with padding.
   * @throws RangeError when `iv` is not 16 bytes or `now` is no time from 1970 on.
   * @example
   * await fernet.encrypt('{"fish":"Salmon","rarity":3}')
   */
  encrypt(message: Uint8Array | string, options?: EncryptOptions): Promise<string>
  /**
   * Checks and decrypts a token with whichever key fits.
   *
   * @param token Text in URL-safe base64, its padding whole or left out, with nothing around it; or the raw bytes.
   * @throws FernetError `invalid_token` for every fault of a token, without telling which; `token_expired` for an
   *   authentic token outside the given TTL.
   * @throws RangeError when `ttlSeconds` is not a whole number from 0, or `now` is no time from 1970 on.
   * @example
   * const { message, timestamp } = await fernet.decrypt(token, { ttlSeconds: 60 })
   */
  decrypt(token: string | Uint8Array, options?: DecryptOptions): Promise<DecryptedToken>
}
