import { CONTENDERS } from './contenders.ts'
import { play, SCENARIOS } from './scenarios.ts'

// Each run has its own process, because some clients have module-level queues, which would affect the next run.
const [client, name, seed] = process.argv.slice(2)
const contender = CONTENDERS.find((each) => each.name === client)
const scenario = SCENARIOS.find((each) => each.name === name)
if (!contender || !scenario) throw new Error('Usage: node play.ts CLIENT SCENARIO SEED')
process.stdout.write(JSON.stringify(await play(contender, scenario, Number(seed))), () => process.exit())
