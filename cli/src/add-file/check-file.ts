import { CliError, usageError } from '../failures/cli-error.ts'
import { EXIT } from '../failures/exit.ts'
import { checkedCatches, type ImportDefaults, type WrongLine } from './checked-catches.ts'
import type { ImportSource } from './source.ts'

const MOST_TOLD = 1000

/**
 * Reads a file to its end and checks every line of it; changes nothing.
 *
 * @param say Tells of one wrong line, of the first 1000. @default the message of the error tells of them
 * @returns how many catches it holds
 * @throws CliError `usage` when a line is wrong, or there is none
 */
export async function checkFile(
  source: ImportSource,
  defaults: ImportDefaults,
  say: ((text: string) => void) | undefined,
): Promise<number> {
  let count = 0
  let wrongCount = 0
  const wrong: WrongLine[] = []
  for await (const group of checkedCatches(source, defaults)) {
    count += group.catches.length
    for (const one of group.wrong) {
      wrongCount += 1
      if (wrongCount > MOST_TOLD) continue
      if (say) say(`fish-cli: line ${one.line}: ${one.problem}`)
      else wrong.push(one)
    }
  }
  if (wrongCount > 0) throw wrongLines(wrongCount, wrong)
  if (count === 0) throw usageError('The file holds no catches.', 'One a line: NAME,RARITY, or JSON with these fields.')
  return count
}

function wrongLines(count: number, told: readonly WrongLine[]): CliError {
  const first = count > MOST_TOLD ? `, of which the first ${MOST_TOLD} are told` : ''
  const lines = told.map(({ line, problem }) => ` Line ${line}: ${problem}`).join('')
  return new CliError({
    code: 'wrong_lines',
    message: `${count} ${count === 1 ? 'line is' : 'lines are'} wrong${first}; nothing was changed.${lines}`,
    hint: 'Mend these lines, and give the whole file again.',
    exit: EXIT.usage,
  })
}
