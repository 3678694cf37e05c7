import { randomInt } from 'node:crypto'
import type { Experiment, Scale } from '../experiment.ts'
import { Service } from '../service.ts'

const SAMPLES: Readonly<Record<Scale, number>> = { short: 400, long: 10_000 }

/** The difference of two means in standard errors, by Welch. Beyond 4.5, the samples are told apart. */
function welch(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [one, other].map((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
    return { mean, error: variance / values.length }
  }) as [{ mean: number; error: number }, { mean: number; error: number }]
  return (a.mean - b.mean) / Math.sqrt(a.error + b.error)
}

/** Without the slowest tenth: pauses of a shared machine, which say nothing about the service. */
const trimmed = (values: readonly number[]) => values.toSorted((a, b) => a - b).slice(0, Math.ceil(values.length * 0.9))

export const TIMING_EXPERIMENTS: readonly Experiment[] = [
  {
    name: 'time of a failed login',
    how: 'Wrong passwords for a name that exists and for one that does not, in random order, each from another address; hashing is replaced by a comparison, which would hide a difference.',
    async run(scale) {
      await using service = await Service.start({ FISH_STORAGE: 'memory:', FISH_TRUST_PROXY: '1' })
      const [player] = await service.createPlayers(1)
      if (!player) throw new Error('No player.')
      const times = { known: [] as number[], unknown: [] as number[] }
      let clients = 0
      const attempt = async (kind: 'known' | 'unknown') => {
        clients += 1
        // Names of equal length, and a client that has not been seen before.
        const name = kind === 'known' ? player.name : player.name.replace('Player', 'Nobody')
        const address = `10.${(clients >> 16) & 255}.${(clients >> 8) & 255}.${clients & 255}`
        const authorization = `Basic ${btoa(`${name}:wrong password`)}`
        const started = performance.now()
        const response = await fetch(`${service.url}/get/user/key?name=${name}`, {
          headers: { authorization, 'x-forwarded-for': address },
        })
        await response.arrayBuffer()
        if (response.status !== 401) throw new Error(`A failed login got ${response.status}.`)
        return performance.now() - started
      }
      for (let warmUp = 0; warmUp < 200; warmUp += 1) await attempt(warmUp % 2 === 0 ? 'known' : 'unknown')
      while (Math.min(times.known.length, times.unknown.length) < SAMPLES[scale]) {
        const kind = randomInt(2) === 0 ? 'known' : 'unknown'
        times[kind].push(await attempt(kind))
      }
      const t = welch(trimmed(times.known), trimmed(times.unknown))
      return {
        figure: `t = ${t.toFixed(1)}, ${SAMPLES[scale].toLocaleString('en')} of each`,
        limit: 't within ±4.5',
        isMet: Math.abs(t) < 4.5,
      }
    },
  },
]
