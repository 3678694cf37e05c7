import { vi } from 'vitest'

/** Gives a test an empty storage of the browser. @returns a function that removes the storage */
export function stubLocalStorage(): () => void {
  const items = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => items.set(name, value),
  })
  return () => {
    vi.unstubAllGlobals()
  }
}
