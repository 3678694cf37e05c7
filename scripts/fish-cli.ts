// fish-cli from its sources: what `npm run quickstart` and, before the first build, `npx fish-cli` run.
import './from-sources.ts'

const { main } = await import('../cli/src/runtime/main.ts')
await main()
