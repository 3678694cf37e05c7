import { EXIT } from '../../core/errors.ts'
import { defineCommand } from '../../kit/define.ts'

export const appCommand = defineCommand({
  summary: 'Open the program for players, a page in your browser.',
  description:
    'The page logs in, follows the logs of your games and shows each catch. It works without a terminal. Closing the ' +
    'page does not stop the program: choose Quit on the page, or press Ctrl-C. A second start opens the page of the ' +
    'running program.',
  examples: ['fish-cli app'],

  async run({ session, terminal }) {
    const { openRunning, runApp } = await import('./process.ts')
    if (await openRunning(session.system)) {
      return terminal.print({ opened: true }, () => 'Fish Collection is already running. Its page was opened again.')
    }
    await runApp(session.system, (origin) => {
      terminal.printLine(
        { listening: origin },
        () => `Fish Collection is open in your browser. Its address is ${origin}`,
      )
    })
    return EXIT.ok
  },
})
