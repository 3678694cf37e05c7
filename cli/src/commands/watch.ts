import { GAMEMODES } from '@fish-crab/sdk/constants'
import { Args, defineCommand, Flags } from '../command/define.ts'
import { noInputFlag, serviceFlags, userFlag } from '../command/flags.ts'

export const watchCommand = defineCommand({
  summary: 'Follow the game log and add your catches.',
  description:
    'Starts at the end of a log that it has not watched before; with --once, at its beginning. Keeps following when the ' +
    'game restarts. Stop it with Ctrl-C; when started again, it resumes and adds the catches made in between, each once. While the service is unreachable, catches are queued on this machine. Without LOG, it ' +
    'uses the log of the running or latest game: vanilla, Lunar, Feather, Prism or MultiMC. Catches on a server that is ' +
    'not a gamemode, such as a hub, are held back on this machine until you run watch with --gamemode. Needs your key: ' +
    'from login, FISH_KEY or FISH_KEY_FILE.',
  examples: [
    'fish-cli watch',
    'fish-cli watch ~/.minecraft/logs/latest.log --gamemode earth',
    { description: 'Read compressed logs:', command: 'fish-cli watch logs/*.log.gz --once' },
  ],
  args: {
    log: Args.string({
      description: 'path of the log (default: the log of the game); several with --once',
      multiple: true,
    }),
  },
  flags: {
    'from-start': Flags.boolean({
      summary: 'Read the log from its beginning, even if it was watched before. Each catch is added once.',
    }),
    once: Flags.boolean({
      summary: 'Read the existing log, send its catches and exit. If it was watched before, only what is new.',
    }),
    gamemode: Flags.string({
      char: 'g',
      summary: `Gamemode of all catches, overriding the log: ${GAMEMODES.join(', ')}. FISH_GAMEMODE applies if the log names none.`,
      helpValue: 'GAMEMODE',
    }),
    ...userFlag,
    ...serviceFlags,
    ...noInputFlag,
  },
  completion: { log: { paths: 'files' } },

  async run(context) {
    const { args, flags } = context
    const { watchLogs } = await import('../watch/run.ts')
    return watchLogs(context, { target: context.target, paths: args.log ?? [], flags })
  },
})
