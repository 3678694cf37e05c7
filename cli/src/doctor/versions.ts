import { type Finding, fail, ok, warn } from './finding.ts'

/** Whether this Node is one that `engines` asks for, such as `>=22.19`. */
export function nodeFinding(running: string, engines: string): Finding {
  const needed = engines.replace(/^>=/, '')
  if (compareVersions(running, needed) >= 0) return ok('node', `Node ${running}; ${needed} or later is needed.`)
  return fail(
    'node',
    `This is Node ${running}; ${needed} or later is needed.`,
    'Install a newer one: https://nodejs.org',
  )
}

/** Whether program and service are of one major version, or before 1.0 of one minor version. */
export function versionFinding(own: string, service: string): Finding {
  const found = `fish-cli ${own}, service ${service}.`
  if (seriesOf(own) === seriesOf(service)) return ok('version', found)
  return warn('version', found, 'They may not understand each other in everything; use versions of one series.')
}

function seriesOf(version: string): string {
  const [major = '', minor = ''] = version.split('.')
  return major === '0' ? `0.${minor}` : major
}

function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map((part) => Number.parseInt(part, 10)))
  for (const index of [0, 1, 2]) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
