import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PROJECT } from '../test-support/language-tools.ts'

const RULES = join(PROJECT, 'docs/monitoring/alerts.yml')
const EXAMPLES = join(PROJECT, 'scripts/test-support/fixtures/alerts.promtool.yml')

const isInstalled = spawnSync('promtool', ['--version']).error === undefined

function promtool(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

test('promtool accepts the alert rules, and each alert fires in its example', ({ skip }) => {
  if (!isInstalled) skip('promtool is not installed')
  expect(promtool('check', 'rules', RULES)).toMatchObject({ status: 0 })
  expect(promtool('test', 'rules', EXAMPLES)).toMatchObject({ status: 0 })
  const examples = readFileSync(EXAMPLES, 'utf8')
  const alerts = Array.from(readFileSync(RULES, 'utf8').matchAll(/alert: (\w+)/g), ([, name = '']) => name)
  expect(alerts.filter((name) => !examples.includes(name))).toEqual([])
})

test('promtool accepts every query of the dashboard', ({ skip }) => {
  if (!isInstalled) skip('promtool is not installed')
  const { panels } = JSON.parse(readFileSync(join(PROJECT, 'docs/monitoring/dashboard.json'), 'utf8')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
  }
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')))
  const rules = queries.map((query, index) => ({ record: `panel_${index}`, expr: query }))
  const folder = mkdtempSync(join(tmpdir(), 'fish-dashboard-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'rules.yml')
  // JSON is also YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  expect(promtool('check', 'rules', file)).toEqual({
    status: 0,
    output: expect.stringContaining(`SUCCESS: ${queries.length} rules found`),
  })
})
