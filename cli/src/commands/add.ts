import type { FishInput } from '@fish-crab/sdk'
import { RARITIES, type RarityValue, rarityLabel, rarityValue } from '@fish-crab/sdk/constants'
import { readPlayerKey } from '../auth/identity.ts'
import { canPrompt } from '../auth/read-secret.ts'
import { rarityList } from '../catches/catch-query.ts'
import { openClient } from '../client/client.ts'
import { requireGamemode, requireUser } from '../config/target.ts'
import { usageError } from '../core/errors.ts'
import type { AddFileFlags } from '../import/run.ts'
import { printable } from '../output/text.ts'
import type { CommandContext } from './define.ts'
import { Args, defineCommand, Flags } from './define.ts'
import { gamemodeFlag, noInputFlag, serviceFlags, userFlag } from './flags.ts'

/** `fish-cli add` */
export const addCommand = defineCommand({
  summary: 'Add fish or crabs to your collection.',
  description:
    'Needs your key: the one that login keeps, FISH_KEY or FISH_KEY_FILE. Several names are saved as one record, all ' +
    'or none; a name of two words stands in quotes. What comes from a file waits on this machine, in the outbox, until the service has it.',
  examples: [
    'fish-cli add Salmon --rarity gold --gamemode earth --user Alex',
    'fish-cli add "Bronze Koi" Cod -r 1 -g earth',
    'fish-cli add --crab -g earth',
    { description: 'All catches of a file, each once:', command: 'fish-cli add --file catches.csv -g earth' },
    {
      description: 'What list printed with --json, at another service:',
      command: 'fish-cli add --file list.json --url https://new.example.org',
    },
    { description: 'Show what would be saved:', command: 'fish-cli add Salmon -r 3 -g earth --dry-run' },
  ],
  args: {
    name: Args.string({ description: 'names of the fish, or of crabs', ignoreStdin: true, multiple: true }),
  },
  flags: {
    rarity: Flags.string({ char: 'r', summary: `How rare the fish are: ${rarityList()}.`, helpValue: 'RARITY' }),
    crab: Flags.boolean({ summary: 'They are crabs, with no rarity; one plain crab without a NAME.' }),
    file: Flags.string({
      summary:
        'Add what a file holds: CSV, TSV, JSON or JSONL with name, rarity, kind, gamemode, caughtAt; - is stdin.',
      helpValue: 'FILE',
    }),
    timezone: Flags.string({
      summary: 'The time zone of times in the file that say none, such as Europe/Berlin.',
      helpValue: 'ZONE',
      dependsOn: ['file'],
    }),
    'dry-run': Flags.boolean({ summary: 'Check what was given and save nothing; the service is not asked.' }),
    yes: Flags.boolean({ char: 'y', summary: 'Save names as they are, also where they look like a slip.' }),
    ...gamemodeFlag,
    ...userFlag,
    ...serviceFlags,
    ...noInputFlag,
  },
  completion: {
    rarity: { words: RARITIES.map(({ value, label }) => ({ value: label.toLowerCase(), description: String(value) })) },
  },

  async run(context) {
    const { args, flags } = context
    if (flags.crab && flags.rarity !== undefined)
      throw usageError('A crab has no rarity.', 'Leave --rarity or --crab out.')
    const names = args.name ?? []
    if (flags.file !== undefined) return addFile(context, names, { ...flags, file: flags.file })
    const fish = flags.crab ? undefined : fishOf(names, flags.rarity)
    const crabs = names.length === 0 ? [{}] : names.map((name) => ({ name }))
    const { target } = context
    const user = requireUser(target, 'Add --user USER')
    const gamemode = requireGamemode(target)
    await confirmNames(context, names, flags)
    const fernetKey = await readPlayerKey(context, target, { user, noInput: flags['no-input'] })
    const client = await openClient(context, target, { user, gamemode, fernetKey })
    if (flags['dry-run']) {
      // Sealing checks everything that can be checked without the service.
      await (fish ? client.fish.encrypt(fish) : client.crabs.encrypt(crabs))
      const planned = { dryRun: true, user, gamemode, ...(fish ? { fish } : { crab: crabs }) }
      const what = fish ? `${fish.length} fish` : `${crabs.length} ${crabs.length === 1 ? 'crab' : 'crabs'}`
      return context.print(planned, () => `Would save ${what} for ${printable(user)} in ${gamemode}.`)
    }
    const signal = context.interrupted()
    const saved = fish ? await client.fish.add(fish, { signal }) : await client.crabs.add(crabs, { signal })
    const { message, id, replayed } = saved
    const what = names.length === 0 ? 'A crab' : names.join(', ')
    const [first] = fish ?? []
    const rarity = first ? ` · ${rarityLabel(first.rarity as RarityValue)}` : ''
    const document = { message, id, replayed, user, gamemode, ...(fish ? { fish } : { crab: crabs }) }
    return context.print(document, () => printable(`${what}${rarity} → ${user}, ${gamemode}`))
  },
})

/** Asks whether these names are meant, where they look like a slip; nobody is asked for a dry run. */
async function confirmNames(context: CommandContext, names: readonly string[], flags: ConfirmFlags): Promise<void> {
  const doubt = flags.yes ? undefined : doubtOf(names, flags.crab ? 'crab' : 'fish')
  if (!doubt) return
  if (!canPrompt(context, flags['no-input'])) throw usageError(doubt.problem, `${doubt.hint} Or add --yes.`)
  if (flags['dry-run']) return
  const { confirm } = await import('../output/prompt.ts')
  await confirm(context, { question: `${doubt.problem} ${doubt.hint} Save it as it is` })
}

async function addFile(context: CommandContext, names: readonly string[], flags: AddFileFlags): Promise<number> {
  if (names.length > 0) throw usageError('Give NAME or --file, not both.')
  const { addFile } = await import('../import/run.ts')
  const rarity = flags.rarity === undefined ? undefined : rarityOf(flags.rarity)
  const outcome = await addFile(context, { flags, rarity, note: (text) => context.note(text) })
  context.print(outcome.document, () => outcome.text)
  return outcome.status
}

interface ConfirmFlags {
  readonly crab?: boolean | undefined
  readonly yes?: boolean | undefined
  readonly 'no-input'?: boolean | undefined
  readonly 'dry-run'?: boolean | undefined
}

/** What was probably meant by names that look like a slip, and what to type for it. */
function doubtOf(names: readonly string[], kind: 'fish' | 'crab'): { problem: string; hint: string } | undefined {
  if (names.includes('-')) return { problem: 'A dash is a strange name.', hint: 'To read stdin: add --file -' }
  if (names.some((name) => name.trim() === '')) {
    return { problem: 'A name is blank.', hint: 'Put the name into quotes: add "Bronze Koi"' }
  }
  // Whoever puts one of them into quotes knows that the others are names of their own.
  if (names.length < 2 || names.some((name) => /\s/.test(name))) return undefined
  const several = kind === 'fish' ? `${names.length} fish` : `${names.length} crabs`
  const problem = `These are ${several}: ${names.map(printable).join(', ')}.`
  return { problem, hint: `One is: add "${names.map(printable).join(' ')}"` }
}

function fishOf(names: readonly string[], rarity: string | undefined): readonly FishInput[] {
  if (names.length === 0)
    throw usageError('Say what was caught.', 'Such as: fish-cli add Salmon --rarity gold, or: fish-cli add --crab')
  if (rarity === undefined)
    throw usageError('Say how rare it is.', `Add --rarity with a number or a label: ${rarityList()}.`)
  const value = rarityOf(rarity)
  return names.map((name) => ({ name, rarity: value }))
}

function rarityOf(rarity: string): RarityValue {
  const value = rarityValue(/^\d+$/.test(rarity) ? Number(rarity) : rarity)
  if (value !== undefined) return value
  throw usageError('There is no such rarity.', `Give --rarity a number or a label: ${rarityList()}.`)
}
