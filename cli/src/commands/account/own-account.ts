import { userNameKey } from '@fish-crab/sdk/constants'
import { commandLine } from '../../core/argv.ts'
import { withUnknownOutcome } from '../../core/describe-error.ts'
import { isSameService, parseChoice } from '../../core/parse-values.ts'
import { Args, defineCommand, words } from '../../kit/define.ts'
import { noInputFlag, serviceFlags, userFlag, yesFlags } from '../../kit/flags.ts'
import { readApiKey } from '../../session/client.ts'
import { readPlayerPassword } from '../../session/credentials.ts'
import { changeConfig } from '../../session/profiles.ts'
import { updateSecrets } from '../../session/secrets.ts'
import type { Session } from '../../session/session.ts'

const PASSWORD = 'The command prompts for your password, or reads FISH_PASSWORD.'

export const accountRenameCommand = defineCommand({
  summary: 'Change your own name.',
  description:
    `Your keys, your catches and the links to your collection stay. For 90 days, your old name also refers to you, and ` +
    `nobody else can take it. The profile of this machine gets the new name. ${PASSWORD}`,
  examples: ['fish-cli account rename AlexTheGreat'],
  args: { new: Args.string({ description: 'your new name', required: true }) },
  flags: { ...userFlag, ...serviceFlags, ...noInputFlag },

  async run({ session, terminal, args }) {
    const { client, username, password } = await openAccount(session)
    const renaming = client.account.rename({ username, password, newName: args.new, signal: session.signal })
    const { name } = await renaming.catch((error) => {
      throw withUnknownOutcome(error, { hint: `If you were renamed, log in again: ${commandLine('login', args.new)}` })
    })
    await renameProfile(session, username, name)
    return terminal.print({ name, oldName: username }, () => `${username} is now ${name}.`)
  },
})

const VISIBILITIES = ['public', 'private'] as const

export const accountVisibilityCommand = defineCommand({
  summary: 'Show your collection to everybody, or hide it.',
  description:
    'A private collection is visible only to you and to administrators: pages, reads and leaderboards treat you as ' +
    `unknown. You can still add catches. This program reads a private collection with your API key, which a login file ` +
    `contains, or which login stores with --with-api-key. ${PASSWORD}`,
  examples: ['fish-cli account visibility private', 'fish-cli account visibility public'],
  args: { visibility: Args.string({ description: VISIBILITIES.join(' or '), required: true }) },
  flags: { ...userFlag, ...serviceFlags, ...noInputFlag },
  completion: { visibility: words(VISIBILITIES) },

  async run({ session, terminal, args }) {
    const visibility = parseChoice('VISIBILITY', args.visibility, VISIBILITIES)
    const { client, username, password } = await openAccount(session)
    const setting = { username, password, public: visibility === 'public', signal: session.signal }
    const { name, public: isPublic } = await client.account.setPublic(setting).catch((error) => {
      throw withUnknownOutcome(error, { hint: 'Repeat the command.' })
    })
    if (!isPublic && (await readApiKey(session)) === undefined) {
      terminal.note(`To read it on this machine, store your API key: ${commandLine('login', name, '--with-api-key')}`)
    }
    return terminal.print({ name, public: isPublic }, () => `The collection of ${name} is ${visibility}.`)
  },
})

export const accountDeleteCommand = defineCommand({
  summary: 'Delete your own account with all catches.',
  description:
    `A deleted account cannot be restored. ${PASSWORD} The profile and the catches that wait in the outbox stay on this ` +
    'machine.',
  examples: ['fish-cli account delete', 'fish-cli account delete --yes'],
  flags: { ...userFlag, ...serviceFlags, ...yesFlags },

  async run({ session, terminal }) {
    const user = session.user()
    await terminal.confirm(`Delete the account ${user} at ${session.url} and all its catches`, { typed: user })
    const { client, username, password } = await openAccount(session)
    await client.account.delete({ username, password, signal: session.signal }).catch((error) => {
      throw withUnknownOutcome(error, { hint: 'If the account was deleted, the service no longer knows its name.' })
    })
    const { profile } = session.target
    const remove = profile && commandLine('profile', profile.name, '--remove')
    const next = remove === undefined ? '' : ` To remove its profile from this machine: ${remove}`
    return terminal.print({ name: username, deleted: true }, () => `Deleted ${username}.${next}`)
  },
})

async function openAccount(session: Session) {
  const username = session.user()
  const client = await session.client()
  return { client, username, password: await readPlayerPassword(session, username) }
}

async function renameProfile({ system, target: { profile }, url }: Session, from: string, to: string): Promise<void> {
  const isOwn = (user: string | undefined) => user !== undefined && userNameKey(user) === userNameKey(from)
  if (!profile || !isOwn(profile.user) || !isSameService(profile.url, url)) return
  const config = await changeConfig(system, (current) => {
    const old = current.profiles.get(profile.name)
    if (!old) return current
    return { ...current, profiles: new Map(current.profiles).set(profile.name, { ...old, user: to }) }
  })
  await updateSecrets(system, config, profile.name, (stored) =>
    stored && isOwn(stored.user) ? { ...stored, user: to } : stored,
  )
}
