import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { createInterface } from 'node:readline'
import { createFernet } from '@fish-crab/sdk/fernet'
import type { Experiment } from '../experiment.ts'

/** Reads a token per line; writes what it decrypts to, in hexadecimal, or nothing if it is refused. */
const PYCA = `
import sys
from cryptography.fernet import Fernet, InvalidToken
fernet = Fernet(sys.argv[1])
for line in sys.stdin.buffer:
    try:
        print(fernet.decrypt(line.rstrip(b"\\n")).hex())
    except InvalidToken:
        print()
`

const noPyca = () => {
  try {
    execFileSync('python3', ['-c', 'import cryptography.fernet'], { stdio: 'pipe' })
    return undefined
  } catch {
    return 'pyca/cryptography is not installed (Debian package: python3-cryptography)'
  }
}

/** A token that differs from a valid one somewhere. */
function mutate(token: string): string {
  const bytes = Buffer.from(token, 'base64url')
  const at = randomInt(bytes.length)
  switch (randomInt(6)) {
    case 0:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << randomInt(8))
      return bytes.toString('base64url').padEnd(token.length, '=')
    case 1:
      return encode(bytes.subarray(0, at))
    case 2:
      return encode(Buffer.concat([bytes, randomBytes(randomInt(1, 17))]))
    case 3:
      return encode(Buffer.concat([bytes.subarray(0, at), randomBytes(16), bytes.subarray(at)]))
    case 4: {
      const from = randomInt(token.length)
      return token.slice(0, from) + ALPHABET[randomInt(ALPHABET.length)] + token.slice(from + 1)
    }
    default:
      bytes.subarray(at, at + 16).fill(randomInt(256))
      return encode(bytes)
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/.'
const encode = (bytes: Buffer) => {
  const text = bytes.toString('base64url')
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=')
}

const BATCH = 5000

export const TOKEN_EXPERIMENTS: readonly Experiment[] = [
  {
    name: 'mutated tokens',
    how: 'Bits, bytes and letters of valid tokens are changed, cut off and added; each token is given to pyca/cryptography, too. Forged is one that is accepted, but not by pyca with the same content.',
    missing: noPyca,
    async run(scale) {
      const count = scale === 'short' ? 50_000 : 10_000_000
      const key = encode(randomBytes(32))
      const fernet = createFernet(key)
      const child: ChildProcess = spawn('python3', ['-c', PYCA, key], { stdio: ['pipe', 'pipe', 'inherit'] })
      const { stdin, stdout } = child
      if (!stdin || !stdout) throw new Error('A child without input or output.')
      const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
      const outcomes = { accepted: 0, forged: 0, refusedByUsAlone: 0 }
      for (let done = 0; done < count; done += BATCH) {
        const valid = await fernet.encrypt(randomBytes(randomInt(1, 100)))
        const tokens = Array.from({ length: BATCH }, () => mutate(valid)).filter((token) => !token.includes('\n'))
        stdin.write(`${tokens.join('\n')}\n`)
        for (const token of tokens) {
          const [theirs, ours] = await Promise.all([
            lines.next().then(({ value }) => String(value)),
            fernet.decrypt(token).then(
              ({ message }) => Buffer.from(message).toString('hex'),
              () => '',
            ),
          ])
          if (ours !== '') outcomes.accepted += 1
          if (ours !== '' && ours !== theirs) outcomes.forged += 1
          if (ours === '' && theirs !== '') outcomes.refusedByUsAlone += 1
        }
      }
      stdin.end()
      const { accepted, forged, refusedByUsAlone } = outcomes
      return {
        figure: `${count.toLocaleString('en')} tokens: ${forged} forged; ${accepted} equal to a valid one, ${refusedByUsAlone} more for pyca alone`,
        limit: '0 forged',
        isMet: forged === 0,
      }
    },
  },
]
