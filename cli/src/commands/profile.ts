import { noteUnsent } from '../client/outbox.ts'
import { changeConfig } from '../config/config-file.ts'
import { isKeyringFailure } from '../config/keyring.ts'
import { profileNotFound } from '../config/profile.ts'
import { updateSecrets } from '../config/secrets.ts'
import type { Config } from '../core/context.ts'
import { EXIT, usageError } from '../core/errors.ts'
import { Args, type CommandContext, defineCommand, Flags } from '../kit/define.ts'
import { yesFlags } from '../kit/flags.ts'
import type { Column } from '../output/columns.ts'
import { confirm } from '../output/prompt.ts'

const COLUMNS: readonly Column[] = [
  { field: 'current', title: '', text: (value) => (value ? '*' : '') },
  { field: 'name', title: 'PROFILE', whole: true },
  { field: 'url' },
  { field: 'user' },
  { field: 'gamemode' },
  { field: 'admin' },
  { field: 'secrets' },
]

export const profileCommand = defineCommand({
  summary: 'List your profiles, choose a profile, or remove a profile.',
  description:
    'A profile is a service and your account on this service. To create a profile, log in: fish-cli login USER ' +
    '--profile NAME. With NAME, that profile becomes the current profile. --remove deletes the profile and its ' +
    'secrets from this machine. The account itself stays.',
  examples: ['fish-cli profile', 'fish-cli profile work', 'fish-cli profile work --remove --yes'],
  args: { name: Args.string({ description: 'name of the profile' }) },
  flags: { remove: Flags.boolean({ summary: 'Remove the profile and its secrets from this machine.' }), ...yesFlags },
  completion: { name: { local: 'profiles' } },

  async run(context) {
    const { args, flags } = context
    const { name } = args
    if (name !== undefined) return flags.remove ? removeProfile(context, name) : useProfile(context, name)
    if (flags.remove) throw usageError('The name of the profile is missing.', 'See the profiles: fish-cli profile')
    const { current, profiles } = context.config
    const rows = [...profiles].map(([each, profile]) => ({ name: each, current: each === current, ...profile }))
    const empty = 'No profiles yet. Create one: fish-cli login'
    return context.printRows({
      rows,
      columns: COLUMNS,
      document: { current: current ?? null, profiles: rows },
      empty,
    })
  },
})

async function useProfile(context: CommandContext, name: string): Promise<number> {
  await changeConfig(context, (config) => {
    if (!config.profiles.has(name)) throw profileNotFound(name, config.profiles.keys())
    return { ...config, current: name }
  })
  return context.print({ current: name }, () => `Using profile ${name}.`)
}

async function removeProfile(context: CommandContext, name: string): Promise<number> {
  const { flags, config } = context
  const profile = config.profiles.get(name)
  if (!profile) throw profileNotFound(name, config.profiles.keys())
  await confirm(context, { question: `Remove profile ${name} and its secrets from this machine`, ...flags })
  const removing = updateSecrets(context, config, name, () => undefined).then(() => true)
  const isRemoved = await removing.catch((error: unknown) => {
    // An unavailable keyring does not prevent removing the profile.
    if (isKeyringFailure(error)) return false
    throw error
  })
  await changeConfig(context, (current) => without(current, name))
  const document = { name, secrets: profile.secrets ?? null, secretsRemoved: isRemoved }
  context.print(document, () => `Removed profile ${name}.`)
  await noteUnsent(context, profile)
  if (isRemoved) return EXIT.ok
  context.note(
    'The keyring is unavailable and still contains the secrets of the profile. Remove the entries of fish-crab ' +
      'in the keyring.',
  )
  return EXIT.partly
}

function without(config: Config, name: string): Config {
  const { current, profiles } = config
  const rest = new Map(profiles)
  rest.delete(name)
  return { ...config, current: current === name ? undefined : current, profiles: rest }
}
