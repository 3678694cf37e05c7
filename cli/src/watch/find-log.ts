import { glob, stat } from 'node:fs/promises'
import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import type { LogPlace } from './log-places.ts'

/** A log that was found. */
export interface FoundLog {
  readonly launcher: string
  readonly path: string
}

/**
 * The log that was written to last, of all that are in these places: that of the game which runs, or ran last.
 *
 * @throws CliError `log_not_found`
 */
export async function findLog(places: readonly LogPlace[]): Promise<FoundLog> {
  const found = await Promise.all(places.map(logsIn))
  const [newest] = found.flat().sort((a, b) => b.writtenAt - a.writtenAt)
  if (newest) return { launcher: newest.launcher, path: newest.path }
  throw new CliError({
    code: 'log_not_found',
    message: 'There is no log of the game where the usual launchers keep it.',
    hint: 'Start the game once, or give the path: fish-cli watch PATH/logs/latest.log',
    exit: EXIT.notFound,
  })
}

async function logsIn({ launcher, pattern }: LogPlace): Promise<(FoundLog & { readonly writtenAt: number })[]> {
  const paths: string[] = []
  // Without a star it is a path, whatever characters are in it.
  if (pattern.includes('*')) {
    try {
      for await (const path of glob(pattern)) paths.push(path)
    } catch {
      // A folder that cannot be read holds nothing for us.
    }
  } else paths.push(pattern)
  const looked = paths.map(async (path) => {
    const { mtimeMs, isFile } = await fileFacts(path)
    return isFile ? [{ launcher, path, writtenAt: mtimeMs }] : []
  })
  return (await Promise.all(looked)).flat()
}

async function fileFacts(path: string): Promise<{ readonly mtimeMs: number; readonly isFile: boolean }> {
  try {
    const facts = await stat(path)
    return { mtimeMs: facts.mtimeMs, isFile: facts.isFile() }
  } catch {
    return { mtimeMs: 0, isFile: false }
  }
}
