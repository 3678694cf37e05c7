/** @throws Error if the version of Node is older than 22.19; other runtimes and browsers pass */
export function requireNode(packageName: string): void {
  const version = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node
  const [major = 0, minor = 0] = version?.split('.').map(Number) ?? []
  if (version === undefined || major > 22 || (major === 22 && minor >= 19)) return
  throw new Error(
    `${packageName} needs Node 22.19 or later; this is Node ${version}. Install a newer one from https://nodejs.org.`,
  )
}
