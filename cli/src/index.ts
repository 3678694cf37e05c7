import { loadCommands } from './commands/index.ts'

export { FAILURE_SCHEMA } from './core/errors.ts'

/** Every command by its id, for oclif's own tools (`oclif manifest`, `oclif readme`). The program itself starts in `main.ts`. */
export const COMMANDS = await loadCommands()
