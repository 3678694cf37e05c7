// npm run verify: installs, builds, checks and passes every test. With `-- --long` it also compares 100,000
// requests through every lane of the mock, and tries the SDK on every runtime, which brings half a gigabyte of them.
import { build, fail, install, step } from './lib/steps.mjs'
import { provideSystemPrograms } from './lib/system-programs.mjs'

try {
  await provideSystemPrograms()
  await install()
  await step('Check format, lint, types, imports and what nobody uses', 'npm', ['run', '--silent', 'check'])
  await build()
  for (const name of ['sdk', 'server', 'mocks', 'cli']) {
    await step(`Check the package ${name}`, 'publint', ['--strict', name])
  }
  for (const [name, profile] of [
    ['sdk', 'node16'],
    ['server', 'esm-only'],
    ['mocks', 'esm-only'],
  ]) {
    await step(`Check the types of the package ${name} as users resolve them`, 'attw', [
      '--pack',
      name,
      '--profile',
      profile,
    ])
  }
  await step('Run every test', 'vitest', ['run'], { show: true })
  if (process.argv.includes('--long')) {
    await step('Compare every lane of the mock with the server', 'node', ['mocks/e2e/differential.ts', '100000'], {
      show: true,
    })
    await step('Try the SDK on every runtime', 'node', ['scripts/runtimes.ts'], { show: true })
  }
} catch (error) {
  fail(error)
}
