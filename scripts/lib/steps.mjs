// Runs on Node 20 without anything installed: it is what installs.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const BIN = join(ROOT, 'node_modules', '.bin')

/** An environment in which `node` and every tool are the ones the project brings. */
export function projectEnv() {
  return { ...process.env, PATH: [BIN, process.env.PATH].join(delimiter) }
}

/** A step that failed; what it printed stands in `output`. */
class StepFailed extends Error {
  constructor(title, output) {
    super(`${title} failed`)
    this.title = title
    this.output = output
  }
}

/**
 * Runs a command and prints a line at its start and one at its end with how long it took. Steps may run side by side:
 * the output of each is held back, and printed in one piece when it fails, or at its end when `show` is set.
 */
export async function step(title, command, args, { show = false, env = projectEnv() } = {}) {
  const started = Date.now()
  process.stdout.write(`${title} …\n`)
  const { code, output } = await run(command, args, env)
  const seconds = `${((Date.now() - started) / 1000).toFixed(1)} s`
  if (code !== 0) {
    process.stdout.write(`${title}: failed (${seconds})\n`)
    throw new StepFailed(title, output)
  }
  process.stdout.write(`${show ? output : ''}${title}: done (${seconds})\n`)
}

function run(command, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // npm is a .cmd file on Windows.
      shell: process.platform === 'win32',
    })
    let output = ''
    child.stdout.on('data', (data) => {
      output += data
    })
    child.stderr.on('data', (data) => {
      output += data
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** Installs what the lock file says, unless that is what is installed. */
export async function install() {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  if (isInstalled(Object.keys(devDependencies))) process.stdout.write('Install packages: already there\n')
  else await installWith([])
}

/** Installs what it takes to run the service and the command line from their sources, unless that or more is there. */
export async function installToRun() {
  if (isInstalled([])) process.stdout.write('Install packages: already there\n')
  else
    await installWith(['--omit=dev', '--omit=peer', '--omit=optional', '--include-workspace-root', '--workspace=cli'])
}

function isInstalled(names) {
  const done = join(ROOT, 'node_modules', '.package-lock.json')
  const lock = join(ROOT, 'package-lock.json')
  const isCurrent = existsSync(done) && statSync(done).mtimeMs >= statSync(lock).mtimeMs
  return isCurrent && names.every((name) => existsSync(join(ROOT, 'node_modules', name)))
}

function installWith(options) {
  // Warnings of npm about the Node that runs it do not matter: the project brings a newer one for all that follows.
  // SCARF_ANALYTICS: a dependency would report the install to its makers.
  return step('Install packages', 'npm', ['ci', ...options, '--no-audit', '--no-fund', '--loglevel=error'], {
    env: { ...process.env, SCARF_ANALYTICS: 'false' },
  })
}

/** Builds all packages. */
export function build() {
  return step('Build the packages', 'npm', ['run', '--silent', 'build'])
}

/** Waits for steps that run side by side, also where one has failed. */
export async function sideBySide(...steps) {
  const outcomes = await Promise.allSettled(steps)
  const errors = outcomes.flatMap(({ status, reason }) => (status === 'rejected' ? [reason] : []))
  if (errors.length > 0) throw new AggregateError(errors)
}

/** Prints what failed steps printed, and lets the script end with 1. */
export function fail(error) {
  const errors = error instanceof AggregateError ? error.errors : [error]
  for (const each of errors) {
    if (!(each instanceof StepFailed)) throw each
    process.stderr.write(`\n${each.output}\n${each.message}\n`)
  }
  process.exitCode = 1
}
