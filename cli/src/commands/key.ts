import { keyGetCommand } from './key/get.ts'

export const keyCommand = {
  ...keyGetCommand,
  summary: 'Get the key of a player; shorthand for key get.',
  examples: [
    { description: 'Save your own key to a file:', command: 'fish-cli key --out alex.key' },
    { description: 'Print the key of another player, as an administrator:', command: 'fish-cli key Alex --show' },
  ],
}
