import type { FishInput } from '@fish-crab/sdk'
import { RARITIES, type RarityValue, rarityLabel } from '@fish-crab/sdk/constants'
import type { AddFileFlags } from '../add-file/add-file.ts'
import { rememberAdded } from '../client/added.ts'
import { rarityList } from '../client/catch-query.ts'
import { openClient } from '../client/client.ts'
import { requireGamemode } from '../client/gamemodes.ts'
import { readPlayerKey } from '../client/identity.ts'
import { outboxPath } from '../client/outbox-path.ts'
import { requireUser } from '../config/target.ts'
import { usageError } from '../core/errors.ts'
import { parseRarity } from '../core/parse-values.ts'
import { Args, type CommandContext, defineCommand, Flags } from '../kit/define.ts'
import { gamemodeFlag, noInputFlag, serviceFlags, userFlag } from '../kit/flags.ts'
import { canPrompt, confirm } from '../output/prompt.ts'
import { printable } from '../output/text.ts'

export const addCommand = defineCommand({
  summary: 'Add fish or crabs to your collection.',
  description:
    'You need your key: log in once, or set FISH_KEY. Several names are saved as one record, so either all of the ' +
    'names or none are saved. Put quotes around a name of two words. Catches from a file wait in the outbox until ' +
    'the service has stored them. If a run stops, repeat the command. The command continues, and does not add a ' +
    'catch twice.',
  examples: [
    'fish-cli add Salmon --rarity gold --gamemode earth --user Alex',
    'fish-cli add "Bronze Koi" Cod -r 1 -g earth',
    'fish-cli add --crab -g earth',
    { description: 'All catches in a file:', command: 'fish-cli add --file catches.csv -g earth' },
    {
      description: 'Copy the output of list --json --detail to another service:',
      command: 'fish-cli add --file list.json --url https://new.example.org',
    },
  ],
  args: { name: Args.string({ description: 'names of the fish or crabs', multiple: true }) },
  flags: {
    rarity: Flags.string({ char: 'r', summary: `Rarity of the fish: ${rarityList()}.`, helpValue: 'RARITY' }),
    crab: Flags.boolean({ summary: 'Add crabs, which have no rarity. Without NAME, add one plain crab.' }),
    file: Flags.string({
      summary:
        'Add the catches in a CSV, JSON or JSON Lines file (fields: name, rarity, kind, gamemode, caughtAt); - ' +
        'for stdin.',
      helpValue: 'FILE',
    }),
    timezone: Flags.string({
      summary: 'Time zone, such as Europe/Berlin, for times in the file without a time zone.',
      helpValue: 'ZONE',
      dependsOn: ['file'],
    }),
    again: Flags.boolean({
      summary: 'Add every catch in the file, even if it was added before.',
      dependsOn: ['file'],
    }),
    yes: Flags.boolean({ char: 'y', summary: 'Save names as given, even if they look like a mistake.' }),
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
      throw usageError('A crab has no rarity.', 'Leave --rarity out. For example: fish-cli add --crab')
    const names = args.name ?? []
    if (flags.file !== undefined) return addFile(context, names, { ...flags, file: flags.file })
    const fish = flags.crab ? undefined : fishOf(names, flags.rarity)
    const crabs = names.length === 0 ? [{}] : names.map((name) => ({ name }))
    const { target } = context
    const user = requireUser(target)
    const gamemode = await requireGamemode(context, target)
    await confirmNames(context, names)
    const fernetKey = await readPlayerKey(context, target, { user, noInput: flags['no-input'] })
    const client = await openClient(context, target, { user, gamemode, fernetKey })
    const signal = context.interrupted()
    const adding = fish ? client.fish.add(fish, { signal }) : client.crabs.add(crabs, { signal })
    const saved = await adding.catch(async (error) => {
      throw (await import('../client/describe-error.ts')).withUnknownOutcome(error, UNKNOWN_OUTCOME)
    })
    const { message, id, replayed } = saved
    const kind = fish ? 'fish' : 'crab'
    const added = { id, user, kind, gamemode, at: context.clock.now(), run: id } as const
    await rememberAdded(context, outboxPath(context, target.url.value), added)
    const what = names.length === 0 ? 'A crab' : names.join(', ')
    const [first] = fish ?? []
    const rarity = first ? ` · ${rarityLabel(first.rarity as RarityValue)}` : ''
    const document = { message, id, replayed, user, gamemode, ...(fish ? { fish } : { crab: crabs }) }
    return context.print(document, () => printable(`${what}${rarity} → ${user}, ${gamemode}`))
  },
})

const UNKNOWN_OUTCOME = {
  outcome: 'The catch may have been stored.',
  hint: 'Before you repeat the command, check whether the catch was stored: fish-cli list',
}

async function confirmNames(context: CommandContext, names: readonly string[]): Promise<void> {
  const { flags } = context
  const mistake = flags.yes ? undefined : likelyMistake(names, flags.crab ? 'crab' : 'fish')
  if (!mistake) return
  if (!canPrompt(context, flags['no-input']))
    throw usageError(mistake.problem, `${mistake.hint} To save the names as given, add --yes.`)
  await confirm(context, { question: `${mistake.problem} ${mistake.hint} Continue` })
}

async function addFile(
  context: CommandContext,
  names: readonly string[],
  flags: AddFileFlags & { readonly rarity?: string | undefined },
): Promise<number> {
  if (names.length > 0)
    throw usageError('NAME and --file cannot be used together.', 'To add the file only, leave NAME out.')
  const { addFile } = await import('../add-file/add-file.ts')
  const rarity = flags.rarity === undefined ? undefined : rarityOf(flags.rarity)
  const outcome = await addFile(context, { target: context.target, flags, rarity })
  context.print(outcome.document, () => outcome.text)
  return outcome.status
}

function likelyMistake(names: readonly string[], kind: 'fish' | 'crab'): { problem: string; hint: string } | undefined {
  if (names.includes('-')) return { problem: '"-" is probably not a name.', hint: 'To read stdin, use add --file -.' }
  if (names.some((name) => name.trim() === '')) {
    return { problem: 'A name is blank.', hint: 'Put the name in quotes: add "Bronze Koi".' }
  }
  // A name with a space must have been quoted, so the user knows how to join words.
  if (names.length < 2 || names.some((name) => /\s/.test(name))) return undefined
  const several = kind === 'fish' ? `${names.length} fish` : `${names.length} crabs`
  const problem = `This adds ${several}: ${names.map(printable).join(', ')}.`
  return { problem, hint: `To add one catch, put its name in quotes: add "${names.map(printable).join(' ')}".` }
}

function fishOf(names: readonly string[], rarity: string | undefined): readonly FishInput[] {
  if (names.length === 0)
    throw usageError('The name of the fish is missing.', 'For example: fish-cli add Salmon --rarity gold')
  if (rarity === undefined) throw usageError('The rarity is missing.', RARITY_HINT)
  const value = rarityOf(rarity)
  return names.map((name) => ({ name, rarity: value }))
}

const RARITY_HINT = `Choose one of ${rarityList()}. For example: fish-cli add Salmon --rarity gold`

function rarityOf(rarity: string): RarityValue {
  const value = parseRarity(rarity)
  if (value !== undefined) return value
  throw usageError('Unknown rarity in --rarity.', RARITY_HINT)
}
