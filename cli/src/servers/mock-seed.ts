import { readFile } from 'node:fs/promises'
import { parseSeed, type Seed, SeedError } from '@fish-crab/mocks/standalone'
import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'

/** What a mock starts with when nothing else is said. */
export const DEFAULT_SEED: Seed = { users: [{ name: 'Alex' }] }

/** Reads the file of `--seed`. Values in it are never repeated: there may be passwords among them. */
export async function readSeed(path: string): Promise<Seed> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw wrongSeed(`The seed file cannot be read (${error.code ?? error.name}).`)
  })
  try {
    return parseSeed(JSON.parse(text))
  } catch (error) {
    if (error instanceof SeedError) throw wrongSeed(`The seed file is not of the expected form: ${error.message}.`)
    throw wrongSeed('The seed file is not JSON.')
  }
}

/** The failure of a seed, with what is wrong with it. */
export function wrongSeed(message: string): CliError {
  return new CliError({ code: 'invalid_seed', message, exit: EXIT.usage })
}
