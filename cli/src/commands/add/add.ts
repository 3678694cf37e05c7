import { RARITIES, type RarityValue, rarityLabel } from '@fish-crab/sdk/constants'
import { closestWord } from '../../../../sdk/src/internal/closest-word.ts'
import { usageError } from '../../core/errors.ts'
import { parseRarity, rarityList } from '../../core/parse-values.ts'
import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { gamemodeFlag, noInputFlag, serviceFlags, userFlag } from '../../kit/flags.ts'
import { rememberAdded } from '../../session/added.ts'
import { readPlayerKey } from '../../session/credentials.ts'
import type { Session } from '../../session/session.ts'
import { suggestList } from '../../session/target.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { AddFileFlags } from './add-file.ts'

export const addCommand = defineCommand({
  summary: 'Add fish or crabs to your collection.',
  description:
    'You need your key: log in once, or set FISH_KEY. Several names are saved as one record, so either all of the ' +
    'names or none are saved. Put quotes around a name of two words. On a terminal, the command prompts if a name ' +
    'looks like a typo of a name in your collection, which takes a second request. Catches from a file wait in the outbox until ' +
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
    {
      description: 'Add the catches of Bob in an export to the collection of Alex:',
      command: 'fish-cli add --file catches.csv --player Bob --user Alex',
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
    player: Flags.string({
      summary: 'Add only the catches of this player, from a file of export.',
      helpValue: 'NAME',
      dependsOn: ['file'],
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

  async run({ session, terminal, args, flags }) {
    if (flags.crab && flags.rarity !== undefined)
      throw usageError('A crab has no rarity.', 'Leave --rarity out. For example: fish-cli add --crab')
    const names = args.name ?? []
    if (flags.file !== undefined) return addFile(session, names, { ...flags, file: flags.file })
    const rarity = flags.crab ? undefined : fishRarity(names, flags.rarity)
    const user = session.user()
    const gamemode = await session.gamemode()
    await confirmNames(terminal, names, flags.crab ? 'crab' : 'fish')
    const fernetKey = await readPlayerKey(session, user)
    const client = await session.client({ user, gamemode, fernetKey })
    const { signal } = session
    const kind = rarity === undefined ? 'crab' : 'fish'
    const meant = await correctNames(terminal, names, () => client[RESOURCES[kind]].summary({ signal, ...SEND_ONCE }))
    const fish = rarity === undefined ? undefined : meant.map((name) => ({ name, rarity }))
    const crabs = meant.length === 0 ? [{}] : meant.map((name) => ({ name }))
    const adding = fish ? client.fish.add(fish, { signal }) : client.crabs.add(crabs, { signal })
    const saved = await adding.catch(async (error) => {
      const { withUnknownOutcome } = await import('../../core/describe-error.ts')
      const list = suggestList(session.target, { kind, user, gamemode })
      const hint = `Before you repeat the command, check whether the catch was stored: ${list}`
      throw withUnknownOutcome(error, { outcome: 'The catch may have been stored.', hint })
    })
    const { message, id, replayed } = saved
    const added = { id, user, kind, gamemode, at: session.clock.now(), run: id } as const
    await rememberAdded(session, added)
    const what = meant.length === 0 ? 'A crab' : meant.join(', ')
    const label = rarity === undefined ? '' : ` · ${rarityLabel(rarity)}`
    const document = { message, id, replayed, user, gamemode, ...(fish ? { fish } : { crab: crabs }) }
    return terminal.print(document, () => `${what}${label} → ${user}, ${gamemode}`)
  },
})

async function confirmNames(terminal: Terminal, names: readonly string[], kind: 'fish' | 'crab'): Promise<void> {
  const mistake = terminal.flags.yes ? undefined : likelyMistake(names, kind)
  if (!mistake) return
  if (!terminal.canPrompt) throw usageError(mistake.problem, `${mistake.hint} To save the names as given, add --yes.`)
  await terminal.confirm(`${mistake.problem} ${mistake.hint} Continue`)
}

const RESOURCES = { fish: 'fish', crab: 'crabs' } as const
const SEND_ONCE = { maxWaitMs: 0, maxRetries: 0 }

/** On a terminal, prompts for each unknown name that resembles a name in the collection. */
async function correctNames(
  terminal: Terminal,
  names: readonly string[],
  read: () => PromiseLike<{ readonly species: readonly { readonly name: string }[] }>,
): Promise<readonly string[]> {
  if (names.length === 0 || terminal.flags.yes || !terminal.canPrompt) return names
  // Without the known names, for example at the rate limit, the names are added as typed.
  const { species } = await Promise.resolve(read()).catch(() => ({ species: [] }))
  const known = species.map(({ name }) => name)
  const meant: string[] = []
  for (const name of names) {
    const isKnown = known.some((one) => one.toLowerCase() === name.toLowerCase())
    const closest = isKnown ? undefined : closestWord(name, known)
    const question = `You have never caught ${name}. Did you mean ${closest ?? ''}`
    meant.push(closest !== undefined && (await terminal.ask(question)) ? closest : name)
  }
  return meant
}

async function addFile(
  session: Session,
  names: readonly string[],
  { rarity, ...flags }: AddFileFlags & { readonly rarity?: string | undefined },
): Promise<number> {
  if (names.length > 0)
    throw usageError('NAME and --file cannot be used together.', 'To add the file only, leave NAME out.')
  const { addFile } = await import('./add-file.ts')
  return addFile(session, { ...flags, rarity: rarity === undefined ? undefined : rarityOf(rarity) })
}

function likelyMistake(names: readonly string[], kind: 'fish' | 'crab'): { problem: string; hint: string } | undefined {
  if (names.includes('-')) return { problem: '"-" is probably not a name.', hint: 'To read stdin, use add --file -.' }
  if (names.some((name) => name.trim() === '')) {
    return { problem: 'A name is blank.', hint: 'Put the name in quotes: add "Bronze Koi".' }
  }
  // A name with a space must have been quoted, so the user knows how to join words.
  if (names.length < 2 || names.some((name) => /\s/.test(name))) return undefined
  const several = kind === 'fish' ? `${names.length} fish` : `${names.length} crabs`
  const problem = `This adds ${several}: ${names.join(', ')}.`
  return { problem, hint: `To add one catch, put its name in quotes: add "${names.join(' ')}".` }
}

/** @throws CliError `usage` if there is no name or no rarity */
function fishRarity(names: readonly string[], rarity: string | undefined): RarityValue {
  if (names.length === 0)
    throw usageError('The name of the fish is missing.', 'For example: fish-cli add Salmon --rarity gold')
  if (rarity === undefined) throw usageError('The rarity is missing.', RARITY_HINT)
  return rarityOf(rarity)
}

const RARITY_HINT = `Choose one of ${rarityList()}. For example: fish-cli add Salmon --rarity gold`

function rarityOf(rarity: string): RarityValue {
  const value = parseRarity(rarity)
  if (value !== undefined) return value
  throw usageError('Unknown rarity in --rarity.', RARITY_HINT)
}
