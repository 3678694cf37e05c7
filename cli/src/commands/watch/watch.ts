import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { dryRunFlag, serviceFlags, userFlag, yesFlags } from '../../kit/flags.ts'

export const watchCommand = defineCommand({
  summary: 'Follow the game log and add your catches.',
  description:
    'Follows the logs of all games on this machine and adds each catch once. Catches wait in the outbox while the ' +
    'service is unreachable. Stop with Ctrl-C. The next watch also adds the catches that were made while watch ' +
    'was stopped. If the log does not name the gamemode, the command uses --gamemode. For messages that watch ' +
    'does not recognize, add patterns to the configuration, such as "patterns": [{"kind": "fish", "template": ' +
    '"[Pro] {rarity} CATCH! You caught a {name}."}].',
  examples: [
    'fish-cli watch',
    'fish-cli watch --notify platinum,mythical,first',
    'fish-cli watch ~/.minecraft/logs/latest.log --gamemode earth',
    {
      description: 'Add the catches from all old logs, without duplicates:',
      command: 'fish-cli watch --once ~/.minecraft/logs',
    },
    { description: 'Read compressed logs:', command: 'fish-cli watch logs/*.log.gz --once' },
  ],
  args: {
    log: Args.string({
      description: 'paths of logs (default: the logs of all games); with --once, also a folder of logs',
      multiple: true,
    }),
  },
  flags: {
    notify: Flags.string({
      summary:
        'Ring the bell for these rarities, and with first for each new species. Example: gold,mythical,first ' +
        '(FISH_NOTIFY; default: off).',
      helpValue: 'LIST',
    }),
    once: Flags.boolean({
      summary: 'Read whole logs, show the new catches, prompt for confirmation, add the catches and exit.',
    }),
    encoding: Flags.string({
      summary:
        'Encoding of logs that are neither UTF-8 nor UTF-16, such as cp850, cp936 or shift_jis (FISH_ENCODING; ' +
        'default: the code page of the system).',
      helpValue: 'NAME',
    }),
    gamemode: Flags.string({
      char: 'g',
      summary: 'Gamemode of the catches if the log does not contain one (FISH_GAMEMODE).',
      helpValue: 'GAMEMODE',
    }),
    ...userFlag,
    'user-in-log': Flags.string({
      summary: 'Name of the player in the log if it differs from --user; several names are separated by commas.',
      helpValue: 'NAME',
    }),
    ...serviceFlags,
    ...yesFlags,
    ...dryRunFlag,
  },
  completion: { log: { paths: 'files' } },

  async run({ session, args, flags }) {
    const { watchOptions } = await import('./options.ts')
    const options = await watchOptions(session, args.log ?? [], flags)
    if (!flags.once) return (await import('./live.ts')).followLogs(session, options)
    const { readOnce } = await import('./once.ts')
    return readOnce(session, options)
  },
})
