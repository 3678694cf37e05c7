/** Whether an address can be reached only from this machine. */
export function isOnlyLocal(url: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(URL.parse(url)?.hostname ?? '')
}
