import { execFileSync } from 'node:child_process'
import { REDIS_MISSING } from '../test-support/redis-server.ts'

export const noRedis = () => REDIS_MISSING

export const noCompiler = () => {
  if (process.platform !== 'linux') return 'faults of a disk are injected on Linux alone'
  try {
    execFileSync('cc', ['--version'], { stdio: 'pipe' })
    return undefined
  } catch {
    return 'there is no C compiler (Debian package: gcc) to inject faults'
  }
}

export const noRoot = () =>
  process.platform === 'linux' && process.getuid?.() === 0 ? undefined : 'mounting a small disk needs root on Linux'

const missing = (command: string, argument: string, packageName: string) => () => {
  try {
    execFileSync(command, [argument], { stdio: 'pipe' })
    return undefined
  } catch {
    return `${command} is not installed (Debian package: ${packageName})`
  }
}

export const noNginx = missing('nginx', '-v', 'nginx')
export const noPrlimit = missing('prlimit', '--version', 'util-linux')
