import { usageError } from '../../core/errors.ts'
import type { Env } from '../../core/system.ts'
import { Args, defineCommand } from '../../kit/define.ts'
import { contentsText, runMaintenance } from './maintenance.ts'

export const copyCommand = defineCommand({
  summary: 'Copy everything from one storage to an empty storage.',
  description:
    'Copies players, keys, catches, used tokens and the audit log between data folders and Redis. Stop the ' +
    'servers of both storages first. Keys stay encrypted. From folder to folder, secrets.json is copied too. With ' +
    'Redis, the servers of the copy need the same FISH_SECRET. If an address contains a password, put the address ' +
    'into an environment variable and pass env:NAME.',
  examples: [
    { description: 'From a data folder to Redis:', command: 'fish-cli copy file:./data redis://127.0.0.1' },
    {
      description: 'Back up a Redis whose address is a secret:',
      command: 'fish-cli copy env:FISH_STORAGE file:./backup',
    },
  ],
  args: {
    from: Args.string({ description: 'address of the storage to copy', required: true }),
    to: Args.string({ description: 'address of an empty storage', required: true }),
  },
  flags: {},

  async run({ session, terminal, args }) {
    const { env } = session
    const [from, to] = [addressOf(args.from, env), addressOf(args.to, env)]
    const report = await runMaintenance(session, undefined, (maintenance, source) =>
      maintenance.copyStore({ ...source, from, to, signal: session.signal }),
    )
    if (report.secrets === 'needed') {
      terminal.note('The keys are still encrypted: serve the copy with the FISH_SECRET of the original storage.')
      terminal.note(
        'If you never set FISH_SECRET, use secrets.json of the original: "encryption" is FISH_SECRET, and ' +
          '"session" is FISH_JWT_SECRET.',
      )
    }
    return terminal.print(report, () => `Copied ${contentsText(report)} to ${report.folder ?? 'Redis'}.`)
  },
})

const PASSWORD = /^rediss?(?:-cluster)?:.*@/i

/** Other programs can read arguments, so an address with a password must be in an environment variable. */
function addressOf(text: string, env: Env): string {
  const [, name] = /^env:(.+)$/.exec(text) ?? []
  if (name !== undefined) {
    const address = env[name]
    if (address) return address
    throw usageError(`${name} is not set.`, 'Set the variable to the address of the storage.')
  }
  if (!PASSWORD.test(text)) return text
  throw usageError(
    'An address with a password must not be an argument.',
    'Put the address into an environment variable and pass env:NAME, such as env:FISH_STORAGE.',
  )
}
