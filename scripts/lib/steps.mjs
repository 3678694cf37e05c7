// This module installs the packages, so it has to run on Node 20 or later without any package.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const BIN = join(ROOT, 'node_modules', '.bin')

/** Returns an environment in which `node` and every other tool come from the project. */
export function projectEnv() {
  return { ...process.env, PATH: [BIN, process.env.PATH].join(delimiter) }
}

class StepFailed extends Error {}

/** A step that prints nothing for this long prints a line to show that it still runs. */
const SILENCE_MS = 5000

/**
 * Runs a command and shows its output. Prints a line when the command starts, and a line with the duration when the
 * command ends.
 * @throws StepFailed, with the command that repeats the step
 */
export async function step(title, command, args, { env = {} } = {}) {
  const started = Date.now()
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(0)} s`
  process.stdout.write(`${title} …\n`)
  const code = await run(command, args, { ...projectEnv(), ...env }, () => process.stdout.write(`  ${seconds()} …\n`))
  if (code === 0) {
    process.stdout.write(`${title}: done (${seconds()})\n`)
    return
  }
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const isOwn = existsSync(join(BIN, command))
  const repeat = [...variables, ...(isOwn ? ['npx'] : []), command, ...args].join(' ')
  throw new StepFailed(`${title}: failed (${seconds()}). To repeat this step, run:\n    ${repeat}`)
}

function run(command, args, env, onSilence) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // npm is a .cmd file on Windows.
      shell: process.platform === 'win32',
    })
    const silence = setInterval(onSilence, SILENCE_MS)
    const show = (stream) => (data) => {
      silence.refresh()
      stream.write(data)
    }
    child.stdout.on('data', show(process.stdout))
    child.stderr.on('data', show(process.stderr))
    child.on('error', reject)
    child.on('close', (code) => {
      clearInterval(silence)
      resolve(code ?? 1)
    })
  })
}

/** Installs the packages of the lock file, unless they are already installed. */
export async function install() {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  if (isInstalled(Object.keys(devDependencies))) process.stdout.write('Install packages: already there\n')
  else await installWith([])
}

/**
 * Installs the packages that the service and the command line need to run from their sources, unless they are already
 * installed.
 */
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
  // npm may warn that this Node is too old. Later steps use the project's newer Node, so such warnings are hidden.
  return step('Install packages', 'npm', ['ci', ...options, '--no-audit', '--no-fund', '--loglevel=error'])
}

/** Builds all packages. */
export function build() {
  return step('Build the packages', 'npm', ['run', 'build'])
}

/** Prints the reason why a step failed, and sets exit status 1. */
export function fail(error) {
  if (!(error instanceof StepFailed)) throw error
  process.stderr.write(`\n${error.message}\n`)
  process.exitCode = 1
}
