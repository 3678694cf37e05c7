import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { step } from './steps.mjs'

/**
 * Proxies are never installed automatically, because most of their packages start a listening service at once and at
 * every boot.
 */
const PROXIES = [
  { name: 'nginx', debian: 'nginx-light', probe: ['/usr/sbin/nginx', '-v'] },
  { name: 'caddy', debian: 'caddy', probe: ['caddy', 'version'] },
  { name: 'haproxy', debian: 'haproxy', probe: ['/usr/sbin/haproxy', '-v'] },
  { name: 'apache2', debian: 'apache2-bin', probe: ['/usr/sbin/apache2', '-v'] },
]

/** Programs that some tests need and npm cannot install, each with a probe and its Debian package. */
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
 * Finds the programs that tests need. Installs missing programs, with a message, if the user is root on Debian or
 * Ubuntu. Lists all other missing programs with the tests that will be skipped. With `CI=true`, a missing program is a
 * failure, unless the program has to be installed by hand.
 * @param names the needed programs. @default all
 */
export async function provideSystemPrograms(names = PROGRAMS.map(({ name }) => name)) {
  const isMissing = (program) => names.includes(program.name) && !isThere(program)
  let missing = PROGRAMS.filter(isMissing)
  const installable = missing.filter(({ installedByHand }) => !installedByHand)
  if (installable.length > 0 && canInstall()) {
    const packages = installable.map(({ debian }) => debian)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    process.stdout.write(
      `Some tests need missing programs: ${installable.map(({ name }) => name).join(', ')}. Installing them with apt-get.\n`,
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
      `${name} is not installed, so ${neededBy} will be skipped. On Debian or Ubuntu, run: apt-get install ${debian}\n`,
    )
  }
  if (missing.some(({ installedByHand }) => !installedByHand) && process.env.CI === 'true') {
    process.stderr.write('CI=true requires these programs, except those that have to be installed by hand.\n')
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
