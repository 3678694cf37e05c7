import { once } from 'node:events'
import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { KINDS } from '@fish-crab/sdk/contract'
import { syncFolder } from '../../../../sdk/src/internal/files.node.ts'
import { catchesText } from '../../core/amounts.ts'
import { CliError, EXIT, usageError } from '../../core/errors.ts'
import { parseChoice } from '../../core/parse-values.ts'
import { defineCommand, Flags, words } from '../../kit/define.ts'
import { administrationFlags, gamemodeFlag, secretFileFlags } from '../../kit/flags.ts'
import { checkSecretFile, secretFilePath } from '../../kit/secret-output.ts'
import type { Session } from '../../session/session.ts'

const FORMATS = ['csv', 'jsonl'] as const

export const exportCommand = defineCommand({
  summary: 'Export the catches of all players, as a superadmin.',
  description:
    'Prints one line for each catch, with the player, the kind, the gamemode, the name, the rarity, the time, the id of ' +
    'the record, and the index of the catch in it. The export contains no secrets. --json prints JSON Lines. With ' +
    '--out, the command writes FILE.part, and renames it to FILE at the end. In CSV, text that a spreadsheet would run as a formula starts with an apostrophe, which add --file ' +
    'removes. To add the catches of one player again: fish-cli add --file FILE --player NAME',
  examples: [
    'fish-cli export --out catches.csv',
    'fish-cli export --kind fish --gamemode earth --format jsonl',
    { description: 'Compress the export:', command: 'fish-cli export | gzip > catches.csv.gz' },
  ],
  flags: {
    kind: Flags.string({ summary: `Only ${KINDS.join(' or ')}.`, helpValue: 'KIND' }),
    gamemode: { ...gamemodeFlag.gamemode, summary: 'Only this gamemode.' },
    format: Flags.string({
      summary: `Format: ${FORMATS.join(', ')} (default csv).`,
      helpValue: 'FORMAT',
    }),
    ...secretFileFlags,
    ...administrationFlags,
  },
  completion: { kind: words(KINDS), format: words(FORMATS) },
  role: 'superadmin',

  async run({ session, terminal, flags }) {
    const { signal } = session
    const path = secretFilePath(flags.out)
    const kind = flags.kind === undefined ? undefined : parseChoice('--kind', flags.kind, KINDS)
    const isDocument = flags.json === true && path === undefined
    const format =
      flags.format === undefined ? (isDocument ? 'jsonl' : 'csv') : parseChoice('--format', flags.format, FORMATS)
    if (isDocument && format === 'csv') {
      throw usageError('--json prints no CSV.', 'Leave --json out, or write the CSV to a file with --out FILE.')
    }
    const gamemode = flags.gamemode === undefined ? undefined : await session.optionalGamemode()
    if (path !== undefined) await checkSecretFile(path, flags.force === true)
    const admin = await session.admin()
    const progress =
      path === undefined && terminal.screen.isTerminal ? undefined : terminal.progress({ unit: 'catches' })
    // The first line of CSV is the header. Names of catches contain no line breaks.
    let catches = format === 'csv' ? -1 : 0
    async function* readTexts() {
      for await (const text of admin.export({ kind, gamemode, format, signal })) {
        catches += text.split('\n').length - 1
        progress?.update(catches)
        yield text
      }
    }
    try {
      await (path === undefined ? print(session, readTexts()) : writeWhole(path, readTexts()))
    } finally {
      progress?.end()
    }
    if (path === undefined) return EXIT.ok
    return terminal.print({ file: path, catches }, () => `Exported ${catchesText(catches)} to ${path}.`)
  },
})

async function print({ signal, system: { stdout }, terminal }: Session, texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) {
    terminal.printFile(text)
    if (stdout.writableNeedDrain) await once(stdout, 'drain', { signal })
  }
}

/** Until the file is complete, its name ends with `.part`. */
async function writeWhole(path: string, texts: AsyncIterable<string>): Promise<void> {
  const draft = `${path}.part`
  try {
    rmSync(draft, { force: true })
    await pipeline(texts, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }))
    renameSync(draft, path)
    syncFolder(dirname(path))
  } catch (error) {
    rmSync(draft, { force: true })
    const { syscall, code } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    const message = `${path} cannot be written (${code}).`
    throw new CliError({ code: 'file_not_written', message, hint: 'Choose another file.', exit: EXIT.failure })
  }
}
