import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import type { Experiment } from '../experiment.ts'
import { buildFaults } from '../faults.ts'
import { nothingLost, whilePosting } from '../posted.ts'
import { temporaryFolder } from '../service.ts'
import { noCompiler } from '../system.ts'

const HOUR = 3600

export const CLOCK_EXPERIMENTS: readonly Experiment[] = [
  {
    name: 'a clock that jumps',
    how: 'The clock of the server jumps forwards or back by up to an hour. After every second jump, the server is killed.',
    missing: noCompiler,
    async run(scale) {
      const jumps = scale === 'short' ? 10 : 500
      using folder = temporaryFolder()
      const { env, setAhead } = buildFaults(folder.path).clock()
      const storage = `file:${join(folder.path, 'data')}`
      const catches = await whilePosting({ FISH_STORAGE: storage, ...env }, async ({ load, service }) => {
        for (let jump = 0; jump < jumps; jump += 1) {
          setAhead(jump < 2 ? ([HOUR, -HOUR][jump] ?? 0) : randomInt(-HOUR, HOUR))
          await load.acknowledgements(5)
          if (jump % 2 === 0) continue
          await service.end('SIGKILL')
          await service.start()
          await load.acknowledgements()
        }
      })
      return nothingLost(`${jumps} jumps`, catches)
    },
  },
]
