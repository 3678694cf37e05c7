import { Args, defineCommand, Flags } from '../kit/define.ts'
import { dryRunFlag, serviceFlags, userFlag, yesFlags } from '../kit/flags.ts'

export const watchCommand = defineCommand({
  summary: 'Follow the game log and add your catches.',
  description:
    'Starts at the end of a log that it has not watched before; with --once, it starts at the beginning. Continues when ' +
    'the game restarts. Stop it with Ctrl-C. When you start it again, it resumes and adds the catches made in between, ' +
    'each once. While the service is unreachable, catches are queued on this machine. Without LOG, it ' +
    'uses the log of the running or latest game: vanilla, Lunar, Feather, Prism or MultiMC. Catches on a server that is ' +
    'not a gamemode, such as a hub, are held back on this machine until you run watch with --gamemode. It needs your ' +
    'key, from login, FISH_KEY or FISH_KEY_FILE. Messages that look like catches but are not recognized are counted at the ' +
    'end. To recognize them, add patterns to the configuration (fish-cli config): "patterns": [{"kind": "fish", "template": "[Pro] ' +
    '{rarity} FANG! Du hast einen {name} gefangen.", "rarities": {"toller": "Gold"}}]. Groups: {name}, {rarity}, ' +
    '{length} and {any}.',
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
      description: 'path of the log (default: the log of the game); with --once, several, or a folder of logs',
      multiple: true,
    }),
  },
  flags: {
    'from-start': Flags.boolean({
      summary: 'Read the log from its beginning, even if it was watched before. Each catch is added once.',
    }),
    notify: Flags.string({
      summary:
        'Ring the bell for these rarities, and for the first of its kind: gold,mythical,first (FISH_NOTIFY; default: off).',
      helpValue: 'LIST',
    }),
    once: Flags.boolean({
      summary:
        'Read the log, send its catches and exit; of a watched log, only its new lines. With a folder, read all of its ' +
        'logs, show the new catches, and prompt.',
    }),
    gamemode: Flags.string({
      char: 'g',
      summary: 'Gamemode of all catches, overriding the log. FISH_GAMEMODE applies if the log names none.',
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
    const { watchLogs } = await import('../watch/run.ts')
    return watchLogs(context, { target: context.target, paths: args.log ?? [], flags })
  },
})
