/** Whether secrets on their way to an address can be read by others: http, and not to this machine itself. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname = '' } = URL.parse(url) ?? {}
  return protocol === 'http:' && !/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}
