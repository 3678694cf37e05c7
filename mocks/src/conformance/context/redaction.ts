/** Takes the secrets of a run out of what is told of it. */
export interface Redaction {
  /** Remembers secrets. */
  keep(...secrets: readonly string[]): void
  /** The text without any of them. */
  clean(text: string): string
}

const SHORTEST = 6

/** Makes a redaction that knows no secret yet. */
export function createRedaction(): Redaction {
  const secrets = new Set<string>()
  return {
    keep(...added) {
      for (const secret of added) if (secret.length >= SHORTEST) secrets.add(secret)
    },
    clean(text) {
      let cleaned = text
      for (const secret of secrets) cleaned = cleaned.replaceAll(secret, '[secret]')
      return cleaned
    },
  }
}
