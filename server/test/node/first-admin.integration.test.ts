import { expect, it } from 'vitest'
import { describeWithRedis, startRedis } from '../../../scripts/test-support/redis-server.ts'
import { startTestServer } from './running.ts'

describeWithRedis('servers that start at the same time on an empty Redis', () => {
  it('print one valid password, and report every other printed password as void', async () => {
    const redis = await startRedis()
    try {
      const env = { FISH_STORAGE: redis.url, FISH_SECRET: 's'.repeat(40), FISH_JWT_SECRET: 'j'.repeat(40) }
      const shown: string[] = []
      const start = () => startTestServer(env, { announceAdmin: ({ password }) => void shown.push(password) })
      const servers = await Promise.all([start(), start(), start()])
      const logIn = async (password: string) => {
        const body = JSON.stringify({ username: 'admin', password })
        const headers = { 'content-type': 'application/json' }
        return (await fetch(`${servers[0]?.url}/admin/login`, { method: 'POST', headers, body })).status
      }
      const statuses = await Promise.all(shown.map(logIn))
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      const warnings = servers.flatMap((server) => server.warnings)
      expect(warnings.filter((warning) => warning.includes('is void'))).toHaveLength(shown.length - 1)
      await Promise.all(servers.map((server) => server.close()))
    } finally {
      await redis.stop()
    }
  })
})
