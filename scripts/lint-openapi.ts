// npm run lint-openapi: checks the OpenAPI document with the recommended rules of Redocly. Its package has no
// dependencies and no install script. Spectral needs 240 packages, and unit tests check the rules that Spectral adds.
import './from-sources.ts'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const LINTER = '@redocly/cli@2.77.0'
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

const { openApiDocument } = await import('../sdk/src/contract/openapi.ts')
const folder = mkdtempSync(join(tmpdir(), 'fish-openapi-'))
try {
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(openApiDocument({ version: '0.0.0' })))
  const args = ['--yes', LINTER, 'lint', file, '--extends=recommended', '--format=json']
  const { stdout, stderr } = spawnSync('npx', args, { encoding: 'utf8', env: { ...process.env, ...QUIET } })
  // Redocly exits with 0 despite warnings, so the totals decide.
  const isClean = hasNoProblems(stdout)
  process.stdout.write(isClean ? 'The OpenAPI document follows all recommended rules.\n' : stdout + stderr)
  process.exitCode = isClean ? 0 : 1
} finally {
  rmSync(folder, { recursive: true })
}

/** No output or invalid output counts as a problem. */
function hasNoProblems(report: string): boolean {
  try {
    const { errors, warnings } = JSON.parse(report).totals
    return errors + warnings === 0
  } catch {
    return false
  }
}
