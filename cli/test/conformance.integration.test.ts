import type { ConformanceReport } from '@fish-crab/mocks/conformance'
import { expect, test } from 'vitest'
import { ADMIN_PASSWORD, run, serviceContext } from './harness.ts'

const MASTER = 'canary-master-api-key'
const ORIGIN = 'https://allowed.example'

const context = serviceContext({ FISH_MASTER_API_KEY: MASTER, FISH_ALLOWED_ORIGINS: ORIGIN })

test('conformance passes for the service, and removes its test data', async () => {
  const env = { ...context.admin, FISH_MASTER_API_KEY: MASTER }
  const argv = [context.service.url, '--json', '--allowed-origin', ORIGIN, '--rate-limit', '10000']
  const { status, stdout, stderr } = await run(['conformance', ...argv], { env })
  const { checks, failed, notRemoved } = JSON.parse(stdout) as ConformanceReport
  expect(checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect({ status, stderr, failed, notRemoved }).toEqual({ status: 0, stderr: '', failed: 0, notRemoved: [] })
  // Only a server with its Node layer passes these checks, so no other conformance run includes them.
  const outcomes = Object.fromEntries(checks.map(({ id, outcome }) => [id, outcome]))
  expect(outcomes).toMatchObject({ 'operations-metrics': 'passed', 'operations-docs': 'passed' })
  for (const { outcome, reason } of checks) expect([outcome, Boolean(reason)]).toEqual([outcome, outcome === 'skipped'])
  for (const secret of [ADMIN_PASSWORD, MASTER]) expect(stdout).not.toContain(secret)
  const users = await fetch(`${context.service.url}/get/fish?name=Alex&gamemode=earth`)
  expect(await users.json()).toEqual({ user: 'Alex', fish: [] })
})
