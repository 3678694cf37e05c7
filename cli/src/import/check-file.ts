import { type Gamemode, isGamemode } from '@fish-crab/sdk/constants'
import { CliError, usageError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import { checkedCatches, type ImportDefaults, type WrongLine } from './checked-catches.ts'
import type { ImportSource } from './source.ts'

const MOST_SHOWN = 20

/** What a file holds. */
export interface FileContent {
  readonly catches: number
  /** How many go to each gamemode. */
  readonly gamemodes: Readonly<Partial<Record<Gamemode, number>>>
}

/**
 * Reads a file to its end and checks every line of it; changes nothing.
 *
 * @param say Tells of one wrong line, of the first 20. @default the message of the error tells of them
 * @throws CliError `usage` when a line is wrong, or there is none
 */
export async function checkFile(
  source: ImportSource,
  defaults: ImportDefaults,
  say: ((text: string) => void) | undefined,
): Promise<FileContent> {
  let catches = 0
  const gamemodes = new Map<Gamemode, number>()
  let wrongCount = 0
  const wrong: WrongLine[] = []
  for await (const group of checkedCatches(source, defaults)) {
    catches += group.catches.length
    for (const { gamemode = defaults.gamemode } of group.catches) {
      if (isGamemode(gamemode)) gamemodes.set(gamemode, (gamemodes.get(gamemode) ?? 0) + 1)
    }
    for (const one of group.wrong) {
      wrongCount += 1
      if (wrongCount > MOST_SHOWN) continue
      if (say) say(`fish-cli: line ${one.line}: ${one.problem}`)
      else wrong.push(one)
    }
  }
  if (wrongCount > 0) throw wrongLines(wrongCount, wrong)
  if (catches === 0)
    throw usageError('The file holds no catches.', 'One a line: NAME,RARITY, or JSON with these fields.')
  return { catches, gamemodes: Object.fromEntries(gamemodes) }
}

function wrongLines(count: number, told: readonly WrongLine[]): CliError {
  const first = count > MOST_SHOWN ? `, of which the first ${MOST_SHOWN} are shown` : ''
  const lines = told.map(({ line, problem }) => ` Line ${line}: ${problem}`).join('')
  return new CliError({
    code: 'wrong_lines',
    message: `${count} ${count === 1 ? 'line is' : 'lines are'} wrong${first}; nothing was changed.${lines}`,
    hint: 'Mend these lines, and give the whole file again.',
    exit: EXIT.usage,
  })
}
