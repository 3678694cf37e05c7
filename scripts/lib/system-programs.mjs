import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { step } from './steps.mjs'

/** The packages of most of these start a service that listens, now and at every boot: nothing to do to a machine unasked. */
const PROXIES = [
  { name: 'nginx', debian: 'nginx-light', probe: ['/usr/sbin/nginx', '-v'] },
  { name: 'caddy', debian: 'caddy', probe: ['caddy', 'version'] },
  { name: 'haproxy', debian: 'haproxy', probe: ['/usr/sbin/haproxy', '-v'] },
  { name: 'apache2', debian: 'apache2-bin', probe: ['/usr/sbin/apache2', '-v'] },
]

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
  ...PROXIES.map((proxy) => ({ ...proxy, neededBy: `the test of the rules for ${proxy.name}`, installedByHand: true })),
]

/**
 * Finds the programs that tests need. On Debian and Ubuntu as root, missing ones are installed after saying so;
 * elsewhere they are named with what is skipped for them, and so are everywhere those that are installed by hand alone.
 * With `CI=true` any other missing one is a failure.
 * @param names of those that the tests need. @default all
 */
export async function provideSystemPrograms(names = PROGRAMS.map(({ name }) => name)) {
  const isMissing = (program) => names.includes(program.name) && !isThere(program)
  let missing = PROGRAMS.filter(isMissing)
  const installable = missing.filter(({ installedByHand }) => !installedByHand)
  if (installable.length > 0 && canInstall()) {
    const packages = installable.map(({ debian }) => debian)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    process.stdout.write(
      `Missing for some tests: ${installable.map(({ name }) => name).join(', ')}. Installing with apt-get.\n`,
    )
    await step('Update the list of Debian packages', 'apt-get', ['update', '-q'], { env })
    await step(
      `Install ${packages.join(', ')}`,
      'apt-get',
      ['install', '-qy', '--no-install-recommends', ...packages],
      { env },
    )
    missing = PROGRAMS.filter(isMissing)
  }
  for (const { name, debian, neededBy } of missing) {
    process.stdout.write(
      `Not found: ${name}. Skipped for it: ${neededBy}. On Debian or Ubuntu: apt-get install ${debian}\n`,
    )
  }
  if (missing.some(({ installedByHand }) => !installedByHand) && process.env.CI === 'true') {
    process.stderr.write('With CI=true every program that is not installed by hand must be there.\n')
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
