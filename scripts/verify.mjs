// npm run verify: installs, checks and builds the packages. Then runs the unit tests, and one test of each promise with
// real programs. `-- --all` runs all tests, the experiments, and the SDK on every runtime, which takes half an hour and
// half a gigabyte of disk space.
import { build, fail, install, step } from './lib/steps.mjs'
import { provideSystemPrograms } from './lib/system-programs.mjs'

const PACKAGES = ['sdk', 'server', 'mocks', 'cli']
const TYPE_PROFILES = { sdk: 'strict', server: 'esm-only', mocks: 'esm-only' }

/**
 * Tests of each promise: they cover a kill, Redis, a full Redis, the program, a terminal, the installed packages, and a
 * browser behind nginx.
 */
const PROMISES = {
  integration: [
    'server/test/storage/file-crash',
    'server/test/storage/redis.integration',
    'server/test/app/services/full-redis',
    'server/test/node/serve.integration',
    'cli/test/serve.integration',
    'cli/test/terminal.integration',
    'cli/test/pasted-commands',
  ],
  e2e: ['sdk/e2e/package-entries', 'cli/e2e/newcomer', 'server/e2e/event-source', 'scripts/e2e/api-reports'],
}

const isAll = process.argv.includes('--all')

async function checkAndBuild() {
  // Both read only the sources, and neither keeps all processors busy.
  await Promise.all([step('Check format, lint, types, imports and unused code', 'npm', ['run', 'check']), build()])
}

async function checkPackages() {
  for (const name of PACKAGES) await step(`Check the package ${name}`, 'publint', ['--strict', name])
  for (const [name, profile] of Object.entries(TYPE_PROFILES)) {
    await step(`Check the types of ${name} as users resolve them`, 'attw', ['--pack', name, '--profile', profile])
  }
}

/** @param files the beginnings of the paths of test files; an empty list runs all files */
function test(title, projects, files = []) {
  const selected = projects.flatMap((name) => ['--project', name])
  const options = process.env.CI === 'true' ? [] : ['--reporter=dot', '--silent=passed-only']
  return step(title, 'vitest', ['run', ...selected, ...options, ...files], { env: { TEST_BUILT: 'true' } })
}

async function runAll() {
  await checkPackages()
  await step('Build the documentation, without dead links', 'npm', ['run', 'docs'])
  await step('Prove what becomes of acknowledged catches', 'node', ['scripts/prove.ts'])
  await test('Pass the integration and e2e tests', ['integration', 'e2e'])
  await step('Try the SDK on every runtime', 'node', ['scripts/runtimes.ts'])
  await step('Lint the OpenAPI document', 'node', ['scripts/lint-openapi.ts'])
}

try {
  await provideSystemPrograms(isAll ? undefined : ['redis-server', 'chromium'])
  await install()
  await checkAndBuild()
  await test('Pass the unit tests', ['unit'])
  if (isAll) await runAll()
  else await test('Test each promise once with real programs', Object.keys(PROMISES), Object.values(PROMISES).flat())
} catch (error) {
  fail(error)
}
