/** Whether an address can be reached only from this machine. */
export function isOnlyLocal(url: string): boolean {
  try {
    return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
  } catch {
    return false
  }
}
