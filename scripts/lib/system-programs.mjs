import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { step } from './steps.mjs'

/** Programs that some tests need and npm cannot bring: how to see that they are there, and where they come from. */
const PROGRAMS = [
  {
    name: 'redis-server',
    debian: 'redis-server',
    neededBy: 'the tests of the Redis storage',
    probe: ['redis-server', '--version'],
  },
  { name: 'chromium', debian: 'chromium', neededBy: 'the tests in a real browser', probe: ['chromium', '--version'] },
  {
    name: 'java',
    debian: 'default-jdk-headless',
    neededBy: 'the tests of the Java client',
    probe: ['java', '-version'],
  },
  {
    name: 'python3 with cryptography',
    debian: 'python3-cryptography',
    neededBy: 'the tests of the Python client',
    probe: ['python3', '-c', 'import cryptography'],
    alternative: ['/usr/bin/python3', '-c', 'import cryptography'],
  },
  { name: 'zsh', debian: 'zsh', neededBy: 'the tests of completion in zsh', probe: ['zsh', '--version'] },
  { name: 'fish', debian: 'fish', neededBy: 'the tests of completion in fish', probe: ['fish', '--version'] },
]

/**
 * Finds the programs that tests need. On Debian and Ubuntu as root, missing ones are installed after saying so;
 * elsewhere they are named with what is skipped for them. With `CI=true` a missing one is a failure.
 */
export async function provideSystemPrograms() {
  let missing = PROGRAMS.filter((program) => !isThere(program))
  if (missing.length > 0 && canInstall()) {
    const packages = missing.map(({ debian }) => debian)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    process.stdout.write(
      `Missing for some tests: ${missing.map(({ name }) => name).join(', ')}. Installing with apt-get.\n`,
    )
    await step('Update the list of Debian packages', 'apt-get', ['update', '-q'], { env })
    await step(
      `Install ${packages.join(', ')}`,
      'apt-get',
      ['install', '-qy', '--no-install-recommends', ...packages],
      { env },
    )
    missing = PROGRAMS.filter((program) => !isThere(program))
  }
  for (const { name, debian, neededBy } of missing) {
    process.stdout.write(
      `Not found: ${name}. Skipped for it: ${neededBy}. On Debian or Ubuntu: apt-get install ${debian}\n`,
    )
  }
  if (missing.length > 0 && process.env.CI === 'true') {
    process.stderr.write('With CI=true every program must be there.\n')
    process.exit(1)
  }
}

function isThere({ probe, alternative }) {
  return [probe, alternative].some((command) => command !== undefined && runs(command))
}

function runs([command, ...args]) {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function canInstall() {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && runs(['apt-get', '--version'])
}
