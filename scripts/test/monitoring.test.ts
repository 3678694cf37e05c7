import { expect, test } from 'vitest'
import { checkQuery, serverMetrics } from '../monitoring/metric-names.ts'

test('a query with a metric or a label that the server does not have is refused', async () => {
  const metrics = await serverMetrics()
  const check = (query: string) => () => checkQuery(query, metrics)
  const valid = 'sum by (job, code) (rate(fish_http_errors_total{code="storage_full",route!~"status"}[5m]))'
  expect(check(valid)()).toBe(valid)
  expect(check('rate(fish_http_failures_total[5m])')).toThrow('The server has no metric fish_http_failures_total')
  expect(check('fish_event_streams{route="events"}')).toThrow('The metrics have no label route')
  expect(check('sum by (status) (fish_http_errors_total)')).toThrow('The metrics have no label status')
  expect(check('rate(fish_storage_operation_duration_seconds[5m])')).toThrow('no metric')
})
