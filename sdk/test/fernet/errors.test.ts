import { inspect } from 'node:util'
import { FishCrabError } from '@fish-crab/sdk'
import { createFernet, FernetError } from '@fish-crab/sdk/fernet'
import { describe, expect, test, vi } from 'vitest'
import { forgeToken } from './forge.ts'
import { IMPLEMENTATIONS, KEY, OTHER_KEY, raw } from './implementations.ts'

const caught = (action: Promise<unknown>): Promise<unknown> =>
  action.then(
    () => undefined,
    (error: unknown) => error,
  )

function shown(error: unknown): string {
  const stack = error instanceof Error ? `${error.message} ${error.stack}` : ''
  return [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), String(error), stack].join('\n')
}

describe.each(IMPLEMENTATIONS)('on $platform', ({ create }) => {
  test('every invalid token causes the same error', async () => {
    const fernet = create(KEY)
    const foreign = await create(OTHER_KEY).encrypt('fish')
    const badPadding = forgeToken(KEY, new Uint8Array(16))
    const badVersion = forgeToken(KEY, new Uint8Array(16).fill(16), 0x81)
    const errors: unknown[] = []
    for (const token of ['', 'junk', '%%%', foreign, raw(foreign), badPadding, badVersion, new Uint8Array(73)]) {
      errors.push(await caught(fernet.decrypt(token)))
    }
    const faces = errors.map((error) => {
      expect(error).toBeInstanceOf(FernetError)
      return `${inspect(error).split('\n')[0]} ${JSON.stringify(error)} ${Object.getOwnPropertyNames(error)}`
    })
    expect(new Set(faces).size).toBe(1)
    const thrownAt = errors.map((error) => (error as Error).stack?.split('\n')[1])
    expect(new Set(thrownAt).size).toBe(1)
  })

  test('printed errors and instances contain no part of a key or a token', async () => {
    const fernet = create([KEY, OTHER_KEY])
    const token = await fernet.encrypt('hidden message', { now: 0 })
    const broken = `${token.slice(0, 60)}${token[60] === 'A' ? 'B' : 'A'}${token.slice(61)}`
    const all = [
      shown(await caught(fernet.decrypt(broken))),
      shown(await caught(fernet.decrypt(token, { ttlSeconds: 1 }))),
      shown(await caught(Promise.resolve().then(() => create(`${KEY}?`)))),
      inspect(fernet, { depth: 9, showHidden: true }),
      JSON.stringify(fernet),
    ].join('\n')
    expect(all).toContain('invalid_token')
    expect(all).toContain('token_expired')
    expect(all).toContain('invalid_key')
    for (const secret of [KEY, OTHER_KEY, token]) {
      for (let at = 0; at + 8 <= secret.length; at++) {
        const piece = secret.slice(at, at + 8)
        expect(all.includes(piece), `shows ${at}`).toBe(false)
      }
    }
    expect(all).not.toContain('hidden')
  })
})

function keyError(): unknown {
  try {
    return createFernet('short')
  } catch (error) {
    return error
  }
}

test('a FernetError has a name, a code, and a message that suggests the next step', () => {
  const error = keyError()
  expect(error).toBeInstanceOf(Error)
  expect(String(error)).toMatch(/^FernetError: .*44 characters/)
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: 'FernetError', code: 'invalid_key' })
  expect(error instanceof FishCrabError).toBe(true)
  expect(error).not.toHaveProperty('cause')
})

test('instanceof recognizes only FernetErrors, including those of another copy of the class', async () => {
  expect((await caught(createFernet(KEY).decrypt(''))) instanceof FernetError).toBe(true)
  vi.resetModules()
  const copy = await import('@fish-crab/sdk/fernet')
  expect(copy.FernetError).not.toBe(FernetError)
  expect(new copy.FernetError('Invalid key.', { code: 'invalid_key' }) instanceof FernetError).toBe(true)
  for (const other of [new Error('x'), { code: 'invalid_token' }, undefined, null, 'FernetError', 7]) {
    expect(other instanceof FernetError).toBe(false)
  }
})
