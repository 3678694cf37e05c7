import { createScryptHasher } from '@fish-crab/server'
import { hashSync } from 'bcryptjs'
import { describe, expect, it } from 'vitest'

const CHEAP = { N: 16, r: 1, p: 1 }

describe('a password hash', () => {
  it('is a scrypt hash that contains its cost and salt', async () => {
    const hash = await createScryptHasher(CHEAP).hash('password')
    expect(hash).toMatch(/^scrypt\$16\$1\$1\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/)
    expect(hash).not.toContain('password')
  })

  it('matches only the password from which the hash was created', async () => {
    const hasher = createScryptHasher(CHEAP)
    for (const password of ['password', '', ' ', 'pässwörd 🐟', 'x'.repeat(256), 'a\0b']) {
      const hash = await hasher.hash(password)
      expect(await hasher.verify(password, hash)).toBe(true)
      for (const other of [`${password}x`, password.toUpperCase().concat('!'), 'Password', 'a\0']) {
        expect(await hasher.verify(other, hash)).toBe(false)
      }
    }
  })

  it('differs every time that one password is hashed', async () => {
    const hasher = createScryptHasher(CHEAP)
    expect(await hasher.hash('password')).not.toBe(await hasher.hash('password'))
  })

  it('matches its password in any Unicode normalization form', async () => {
    const hasher = createScryptHasher(CHEAP)
    expect(await hasher.verify('e\u0301', await hasher.hash('\u00e9'))).toBe(true)
  })

  it('is still verified after the configured cost is raised', async () => {
    const hash = await createScryptHasher(CHEAP).hash('password')
    const raised = createScryptHasher({ N: 32, r: 2, p: 1 })
    expect(await raised.verify('password', hash)).toBe(true)
    expect(await raised.verify('passwort', hash)).toBe(false)
  })

  it.each(['', 'plain$password', 'bcrypt$x', 'scrypt', 'scrypt$16$1$1$AAAA$AAAA', 'scrypt$x$1$1$AAAA$AAAA'])(
    'in the unknown form %j never matches',
    async (hash) => {
      const match = await createScryptHasher(CHEAP)
        .verify('password', hash)
        .catch(() => false)
      expect(match).toBe(false)
    },
  )

  it('can be created for many passwords concurrently', async () => {
    const hasher = createScryptHasher(CHEAP)
    const passwords = Array.from({ length: 20 }, (_, index) => `password-${index}`)
    const hashes = await Promise.all(passwords.map((password) => hasher.hash(password)))
    const matches = await Promise.all(hashes.map((hash, index) => hasher.verify(passwords[index] ?? '', hash)))
    expect(matches).toEqual(passwords.map(() => true))
  })

  it('releases its slot after a failed verification', async () => {
    const hasher = createScryptHasher(CHEAP)
    await Promise.allSettled(Array.from({ length: 5 }, () => hasher.verify('x', 'scrypt$3$1$1$AAAA$AAAA')))
    expect(await hasher.verify('password', await hasher.hash('password'))).toBe(true)
  })

  it('by default has the cost that OWASP recommends', async () => {
    expect(await createScryptHasher().hash('password')).toMatch(/^scrypt\$131072\$8\$1\$/)
  })

  it('costs less for a random password', async () => {
    const hasher = createScryptHasher({ N: 2 ** 15, r: 1, p: 1 })
    const [random, chosen] = [await hasher.hash('password', { isRandom: true }), await hasher.hash('password')]
    expect([random, chosen].map((hash) => hash.split('$')[1])).toEqual(['16384', '32768'])
    expect([random, chosen].map((hash) => hasher.isCheap?.(hash))).toEqual([true, false])
  })

  it('that was created by bcrypt is also verified, and the verification does not block the process', async () => {
    const hasher = createScryptHasher(CHEAP)
    const hash = hashSync('pässwörd', 11)
    expect(hasher.isOutdated?.(hash)).toBe(true)
    let turns = 0
    const counting = setInterval(() => {
      turns += 1
    }, 1)
    expect(await hasher.verify('pässwörd', hash)).toBe(true)
    clearInterval(counting)
    // If bcrypt ran on the same thread, the timer would run only once in 100 ms.
    expect(turns).toBeGreaterThan(10)
    expect(await hasher.verify('password', hash)).toBe(false)
    expect(hasher.isOutdated?.(await hasher.hash('password'))).toBe(false)
  })
})
