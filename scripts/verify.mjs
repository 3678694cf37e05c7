// npm run verify: installs, builds, checks and passes every test. With `-- --long` it also tries the SDK on every
// runtime, which brings half a gigabyte of them from the registry.
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
    await step('Try the SDK on every runtime', 'node', ['scripts/runtimes.ts'], { show: true })
  }
} catch (error) {
  fail(error)
}
