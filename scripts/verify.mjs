// npm run verify: installs, builds, checks and passes every test. With `-- --long` it also compares 100,000
// requests through every transport of the mock, and tries the SDK on every runtime, which brings half a gigabyte of them.
import { build, fail, install, projectEnv, sideBySide, step } from './lib/steps.mjs'
import { provideSystemPrograms } from './lib/system-programs.mjs'

const PACKAGES = ['sdk', 'server', 'mocks', 'cli']
const TYPE_PROFILES = { sdk: 'node16', server: 'esm-only', mocks: 'esm-only' }

async function checkPackages() {
  await step('Check format, lint, types, imports and unused code', 'npm', ['run', '--silent', 'check'])
  await build()
  for (const name of PACKAGES) await step(`Check the package ${name}`, 'publint', ['--strict', name])
  for (const [name, profile] of Object.entries(TYPE_PROFILES)) {
    await step(`Check the types of ${name} as users resolve them`, 'attw', ['--pack', name, '--profile', profile])
  }
}

function test(...projects) {
  const selected = projects.flatMap((name) => ['--project', name])
  const options = process.env.CI === 'true' ? [] : ['--reporter=dot', '--silent=passed-only']
  const env = { ...projectEnv(), TEST_BUILT: 'true' }
  return step(`Pass the ${projects.join(' and ')} tests`, 'vitest', ['run', ...selected, ...options], {
    show: true,
    env,
  })
}

try {
  await provideSystemPrograms()
  await install()
  const docs = step('Build the documentation, without dead links', 'npm', ['run', '--silent', 'docs'])
  await sideBySide(checkPackages(), test('unit'), docs)
  await step('Compare the costs of requests with those before', 'node', ['server/bench/guard.ts'], { show: true })
  await step('Prove what becomes of acknowledged catches', 'node', ['scripts/prove.ts'], { show: true })
  await test('integration', 'e2e')
  if (process.argv.includes('--long')) {
    await step('Compare every transport of the mock with the server', 'node', ['mocks/e2e/differential.ts', '100000'], {
      show: true,
    })
    await step('Try the SDK on every runtime', 'node', ['scripts/runtimes.ts'], { show: true })
  }
} catch (error) {
  fail(error)
}
