import { EXIT } from '../../core/errors.ts'
import { defineCommand, Flags } from '../../kit/define.ts'

export const appCommand = defineCommand({
  summary: 'Open the program for players, a page in your browser.',
  description:
    'The page logs in, follows the logs of your games and shows each catch. It works without a terminal. Closing the ' +
    'page does not stop the program: choose Quit on the page, or press Ctrl-C. A second start opens the page of the ' +
    'running program.',
  examples: [
    'fish-cli app',
    { description: 'Start it without opening the page:', command: 'fish-cli app --background' },
  ],
  flags: {
    background: Flags.boolean({ summary: 'Do not open the page. A later start opens the page.' }),
  },

  async run({ session, terminal, flags }) {
    const { runApp } = await import('./process.ts')
    const opensPage = flags.background !== true
    const hasRun = await runApp(session.system, {
      opensPage,
      onReady(origin) {
        const state = opensPage ? 'is open in your browser' : 'runs in the background'
        terminal.printLine({ listening: origin }, () => `Fish Collection ${state}. Its address is ${origin}`)
      },
    })
    if (hasRun) return EXIT.ok
    const page = opensPage ? ' Its page was opened again.' : ''
    return terminal.print({ opened: opensPage }, () => `Fish Collection is already running.${page}`)
  },
})
