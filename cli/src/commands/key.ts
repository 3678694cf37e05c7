import { KeyGet } from './key/get.ts'

/** `fish-cli key` */
export class Key extends KeyGet {
  static override summary = 'Get the Fernet key of a player; short for key get.'
}
