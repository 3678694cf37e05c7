import { keyGetCommand } from './key/get.ts'

/** `fish-cli key` */
export const keyCommand = {
  ...keyGetCommand,
  summary: 'Get the key of a player; short for key get.',
  examples: [
    { description: 'Your own key, into a file:', command: 'fish-cli key --out alex.key' },
    { description: "Another's key, as an administrator:", command: 'fish-cli key Alex --show' },
  ],
}
