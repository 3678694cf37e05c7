import { createFernet } from '@fish-crab/sdk/fernet'
import { expect, test } from 'vitest'
import { invalidToken, KEY, raw, text } from './implementations.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const fernet = createFernet(KEY)

/** One token for each possible number of padding characters: two, one and zero. */
const samples = await Promise.all(['', 'sixteen bytes ok', 'x'.repeat(40)].map((message) => fernet.encrypt(message)))

const refuses = (token: string) => expect(fernet.decrypt(token)).rejects.toMatchObject(invalidToken)
const bare = (token: string) => token.replace(/=+$/, '')

test('the samples have two, one and no padding characters', () => {
  expect(samples.map((token) => token.length - bare(token).length).sort()).toEqual([0, 1, 2])
})

test('a token is accepted with padding, without padding, and as raw bytes', async () => {
  for (const token of samples) {
    const opened = await fernet.decrypt(token)
    expect(await fernet.decrypt(bare(token))).toEqual(opened)
    expect(await fernet.decrypt(raw(token))).toEqual(opened)
    expect(await fernet.decrypt(Buffer.from(token, 'base64url'))).toEqual(opened)
  }
})

test('a raw token inside a larger buffer is accepted', async () => {
  const token = raw(await fernet.encrypt('fish'))
  const larger = new Uint8Array(token.length + 20)
  larger.set(token, 7)
  const opened = await fernet.decrypt(larger.subarray(7, 7 + token.length))
  expect(text(opened.message)).toBe('fish')
})

test('wrong and misplaced padding are rejected', async () => {
  for (const token of samples) {
    for (const padding of ['=', '==', '===', '====', '=====']) {
      if (bare(token) + padding !== token) await refuses(bare(token) + padding)
    }
    await refuses(`=${token}`)
    await refuses(`${token.slice(0, 40)}=${token.slice(40)}`)
    await refuses(`${token.slice(0, 40)}====${token.slice(40)}`)
  }
})

test('whitespace and other invalid characters are rejected anywhere in a token', async () => {
  for (const token of samples) {
    for (const junk of [' ', '\n', '\r\n', '\t', '\0', '%', '.', '"', '\u00a0', '\u0141', '\ufeff', '\u{1f41f}']) {
      await refuses(junk + token)
      await refuses(token + junk)
      await refuses(bare(token) + junk)
      await refuses(token.slice(0, 33) + junk + token.slice(33))
      await refuses(token.slice(0, 33) + junk + token.slice(33 + junk.length))
    }
  }
})

test('a token in the standard base64 alphabet is rejected', async () => {
  let seen = 0
  for (let tries = 0; tries < 20; tries++) {
    const token = await fernet.encrypt('fish')
    const standard = token.replaceAll('-', '+').replaceAll('_', '/')
    if (standard === token) continue
    seen++
    await refuses(standard)
  }
  expect(seen).toBeGreaterThan(0)
})

test('a token is accepted only with its canonical last character', async () => {
  for (const token of samples) {
    const start = bare(token).slice(0, -1)
    const accepted: string[] = []
    for (const last of ALPHABET) {
      const opened = await fernet.decrypt(start + last).then(
        () => true,
        () => false,
      )
      if (opened) accepted.push(start + last)
    }
    expect(accepted).toEqual([bare(token)])
  }
})

test('a token with an extra character is rejected, even if the character adds no byte', async () => {
  for (const token of samples) {
    for (const extra of ALPHABET) await refuses(bare(token) + extra)
  }
})

test('the text of a token is URL-safe base64 with padding, as Node encodes it', async () => {
  for (const token of samples) {
    expect(token).toBe(Buffer.from(raw(token)).toString('base64').replaceAll('+', '-').replaceAll('/', '_'))
  }
})
