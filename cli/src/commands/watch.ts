import { Args, defineCommand, Flags } from '../kit/define.ts'
import { dryRunFlag, serviceFlags, userFlag, yesFlags } from '../kit/flags.ts'

export const watchCommand = defineCommand({
  summary: 'Follow the game log and add your catches.',
  description: [
    'Follows the logs of all games on this machine: vanilla, Lunar, Feather, Prism and MultiMC. To follow others, name ' +
      'them. It starts at the end of a log that it has not watched before. Stop it with Ctrl-C. When you start it again, ' +
      'it continues there and adds the catches made in between, each once, also from logs that the game has renamed or ' +
      'compressed. While the service is unreachable, catches wait on this machine.',
    'The log tells the gamemode, and --gamemode applies where it does not. Catches on a server that is not a gamemode, ' +
      'such as a hub, are not added. They stay in the log, and watch prints how to add them.',
    'With --once, it reads whole logs, shows on a terminal what is new, prompts, adds each catch once and exits.',
    'Messages that look like catches but are not recognized are counted at the end. To recognize them, add patterns to ' +
      'the configuration (fish-cli config): "patterns": [{"kind": "fish", "template": "[Pro] {rarity} FANG! Du hast einen ' +
      '{name} gefangen.", "rarities": {"toller": "Gold"}}]. Groups: {name}, {rarity}, {length} and {any}.',
  ].join('\n\n'),
  examples: [
    'fish-cli watch',
    'fish-cli watch --notify platinum,mythical,first',
    'fish-cli watch ~/.minecraft/logs/latest.log --gamemode earth',
    {
      description: 'Add the catches of all old logs, each once:',
      command: 'fish-cli watch --once ~/.minecraft/logs',
    },
    { description: 'Read compressed logs:', command: 'fish-cli watch logs/*.log.gz --once' },
  ],
  args: {
    log: Args.string({
      description: 'paths of logs (default: those of all games); with --once, or a folder of logs',
      multiple: true,
    }),
  },
  flags: {
    notify: Flags.string({
      summary:
        'Ring the bell for these rarities, and for the first of its kind: gold,mythical,first (FISH_NOTIFY; default: off).',
      helpValue: 'LIST',
    }),
    once: Flags.boolean({ summary: 'Read whole logs, show and add their new catches, and exit.' }),
    gamemode: Flags.string({
      char: 'g',
      summary: 'Gamemode if the log names none (FISH_GAMEMODE), also on servers that are not a gamemode.',
      helpValue: 'GAMEMODE',
    }),
    ...userFlag,
    ...serviceFlags,
    ...yesFlags,
    ...dryRunFlag,
  },
  completion: { log: { paths: 'files' } },

  async run(context) {
    const { args, flags } = context
    const { watchOptions } = await import('../watch/options.ts')
    const options = await watchOptions(context, { target: context.target, logs: args.log ?? [], flags })
    if (!flags.once) return (await import('../watch/live.ts')).followLogs(context, options)
    const { readOnce } = await import('../watch/once.ts')
    const { status, data, text } = await readOnce(context, options)
    context.print(data, () => text)
    return status
  },
})
