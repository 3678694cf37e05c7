import { EXIT, usageError } from '../../core/errors.ts'
import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { yesFlags } from '../../kit/flags.ts'
import { isKeyringFailure } from '../../session/keyring.ts'
import { noteUnsent } from '../../session/outbox.ts'
import { type Config, changeConfig, profileNotFound } from '../../session/profiles.ts'
import { updateSecrets } from '../../session/secrets.ts'
import type { Session } from '../../session/session.ts'
import type { Column } from '../../terminal/table.ts'

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

  async run({ session, terminal, args, flags }) {
    const { name } = args
    if (name !== undefined) return flags.remove ? removeProfile(session, name) : useProfile(session, name)
    if (flags.remove) throw usageError('The name of the profile is missing.', 'See the profiles: fish-cli profile')
    const { current, profiles } = session.config
    const rows = [...profiles].map(([each, profile]) => ({ name: each, current: each === current, ...profile }))
    const empty = 'No profiles yet. Create one: fish-cli login'
    return terminal.printRows({
      rows,
      columns: COLUMNS,
      document: { current: current ?? null, profiles: rows },
      empty,
    })
  },
})

async function useProfile(session: Session, name: string): Promise<number> {
  await changeConfig(session, (config) => {
    if (!config.profiles.has(name)) throw profileNotFound(name, config.profiles.keys())
    return { ...config, current: name }
  })
  return session.terminal.print({ current: name }, () => `Using profile ${name}.`)
}

async function removeProfile(session: Session, name: string): Promise<number> {
  const { config, terminal } = session
  const profile = config.profiles.get(name)
  if (!profile) throw profileNotFound(name, config.profiles.keys())
  await terminal.confirm(`Remove profile ${name} and its secrets from this machine`)
  const removing = updateSecrets(session.system, config, name, () => undefined).then(() => true)
  const isRemoved = await removing.catch((error: unknown) => {
    // An unavailable keyring does not prevent removing the profile.
    if (isKeyringFailure(error)) return false
    throw error
  })
  await changeConfig(session, (current) => without(current, name))
  const document = { name, secrets: profile.secrets ?? null, secretsRemoved: isRemoved }
  terminal.print(document, () => `Removed profile ${name}.`)
  await noteUnsent(session, profile)
  if (isRemoved) return EXIT.ok
  terminal.note(
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
