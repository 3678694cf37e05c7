import type { RandomSource } from '@fish-crab/server/app'

// xmur3
function wordsOf(text: string): () => number {
  let hash = 1779033703 ^ text.length
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 3432918353)
    hash = (hash << 13) | (hash >>> 19)
  }
  return () => {
    hash = Math.imul(hash ^ (hash >>> 16), 2246822507)
    hash = Math.imul(hash ^ (hash >>> 13), 3266489909)
    hash ^= hash >>> 16
    return hash
  }
}

/**
 * Creates a random source (sfc32) that returns the same values for a text on every machine. Do not use the source for
 * real secrets, since its output can be computed from the text.
 */
export function seededRandom(text: string): RandomSource {
  const word = wordsOf(text)
  let [a, b, c, counter] = [word(), word(), word(), 1]
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum
  }
  // Skip the first outputs, because they are correlated for similar states.
  for (let round = 0; round < 12; round += 1) next()
  return (bytes) => {
    for (let index = 0; index < bytes.length; index += 1) bytes[index] = next() >>> 24
    return bytes
  }
}
