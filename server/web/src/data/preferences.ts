/** Reads a choice that this browser remembers. */
export function readPreference(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

/** Remembers a choice if the browser allows it. */
export function savePreference(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // Ignore the failure, because the page works without remembered choices.
  }
}
