// Writes what completion knows into dist, for answers with nothing of the program loaded. Runs from the sources.
import '../../scripts/from-sources.ts'
import { writeFileSync } from 'node:fs'

const { describeCommands } = await import('../src/help/completion-data.ts')
const { DATA_FILE } = await import('../src/help/completion.ts')

writeFileSync(new URL(`../dist/${DATA_FILE}`, import.meta.url), JSON.stringify(await describeCommands()))
