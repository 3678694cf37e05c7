// npm run verify: installs, builds, checks and passes every test.
import { build, fail, install, step } from './lib/steps.mjs'
import { provideSystemPrograms } from './lib/system-programs.mjs'

try {
  await provideSystemPrograms()
  await install()
  await step('Check format and lint', 'biome', ['ci', '--error-on-warnings', '.'])
  await step('Check types', 'tsc', ['-p', '.'])
  await step('Check who imports whom', 'depcruise', [
    '--config',
    '.dependency-cruiser.cjs',
    'sdk/src',
    'server/src',
    'mocks/src',
    'cli/src',
  ])
  await build()
  await step('Check for what nobody uses', 'knip', [])
  for (const name of ['sdk', 'server', 'mocks']) {
    await step(`Check the package ${name}`, 'publint', ['--strict', name])
  }
  await step('Check the types of the package sdk as users resolve them', 'attw', ['--pack', 'sdk'])
  await step('Run every test', 'vitest', ['run'], { show: true })
} catch (error) {
  fail(error)
}
