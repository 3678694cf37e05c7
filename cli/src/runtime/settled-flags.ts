import type { Context } from '../core/context.ts'
import { type OutputFlags, parseFormat } from '../output/format.ts'

/** Flags that mean more than was typed. */
export interface SettledFlags {
  gamemode?: string
  output?: string
  json?: boolean
}

/** What a command can print. */
export interface Printing {
  /** Whether it has `--output`. */
  readonly hasOutput: boolean
  /** What that can be. */
  readonly formats: readonly string[]
}

/**
 * What flags come to: the one spelling of a gamemode; the output that was preset where none was typed; and that
 * `--output json` is `--json`.
 *
 * @throws CliError where there is no such gamemode or format
 */
export async function settledFlags(
  io: Context,
  flags: OutputFlags & { readonly gamemode?: string | undefined },
  { hasOutput, formats }: Printing,
): Promise<SettledFlags> {
  const settled: SettledFlags = {}
  if (flags.gamemode !== undefined) {
    const { parseGamemode } = await import('../core/gamemode.ts')
    settled.gamemode = parseGamemode(flags.gamemode, '--gamemode')
  }
  if (hasOutput && flags.output === undefined && !flags.json) {
    const { defaultOutput } = await import('../config/config-file.ts')
    const preset = defaultOutput(io)
    // What a command cannot print was said for the others.
    if (preset !== undefined && formats.includes(preset)) settled.output = preset
  }
  if (parseFormat(formats, { ...flags, ...settled }) === 'json') settled.json = true
  return settled
}
