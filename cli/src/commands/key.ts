import { KeyGet } from './key/get.ts'

/** `fish-cli key` */
export class Key extends KeyGet {
  static override summary = 'Get the key of a player; short for key get.'
  // oclif looks for them here alone.
  static override baseFlags = KeyGet.baseFlags
  static override examples = [
    { description: 'Your own key, into a file:', command: '<%= config.bin %> key --out alex.key' },
    { description: "Another's key, as an administrator:", command: '<%= config.bin %> key Alex --show' },
  ]
}
