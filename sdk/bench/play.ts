import { CONTENDERS } from './contenders.ts'
import { play, SCENARIOS } from './scenarios.ts'

// One run in a process of its own: some clients keep queues in their modules, which would carry over.
const [client, name, seed] = process.argv.slice(2)
const contender = CONTENDERS.find((each) => each.name === client)
const scenario = SCENARIOS.find((each) => each.name === name)
if (!contender || !scenario) throw new Error('Usage: node play.ts CLIENT SCENARIO SEED')
process.stdout.write(JSON.stringify(await play(contender, scenario, Number(seed))), () => process.exit())
