import { readFile } from 'node:fs/promises'
import type { MigrateReport, MigrationReport } from '@fish-crab/server/maintenance'
import { CliError, EXIT, usageError } from '../../core/errors.ts'
import { parseJsonText } from '../../core/parse-values.ts'
import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { dryRunFlag, yesFlags } from '../../kit/flags.ts'
import { decodeTextFile } from '../../session/files.ts'
import { refuseEmptyPath, runMaintenance, storageFlag } from './maintenance.ts'

export const migrateCommand = defineCommand({
  summary: 'Migrate players, catches and administrators from a MongoDB dump.',
  description:
    'Reads the database of the older service, which this service replaces. DUMP is a folder or an archive ' +
    '(--archive) that mongodump wrote, or one or more files that mongoexport wrote. Each file may be gzipped. The ' +
    'command shows the changes first, then prompts for confirmation. Passwords, Fernet keys and API keys stay ' +
    'valid, and catches keep their order and times. The data folder must not contain a store. The new store ' +
    'appears when the migration is complete. To use Redis, copy the data folder to Redis afterwards.',
  examples: [
    'fish-cli migrate ./dump --storage file:./data',
    'fish-cli migrate fishtracker.archive.gz --storage file:./data --dry-run',
    'fish-cli migrate export/*.json --rename names.json --yes',
    {
      description: 'Also migrate boxsmp, which is not a default gamemode:',
      command: 'FISH_GAMEMODES=earth,oneblock,boxsmp fish-cli migrate ./dump',
    },
  ],
  args: { dump: Args.string({ description: 'folder, archive or files of the dump', required: true, multiple: true }) },
  flags: {
    rename: Flags.string({
      summary: 'JSON file with new names of players: {"NAME or id": "NEW NAME"}.',
      helpValue: 'FILE',
    }),
    ...yesFlags,
    ...dryRunFlag,
    ...storageFlag,
  },
  completion: { dump: { paths: 'files' }, rename: { paths: 'files' } },

  async run({ session, terminal, args, flags }) {
    const dump = args.dump ?? []
    for (const path of dump) refuseEmptyPath(path, 'DUMP', 'file')
    if (flags.rename !== undefined) refuseEmptyPath(flags.rename, '--rename', 'file')
    const renames = flags.rename === undefined ? {} : await readRenames(flags.rename)
    const confirmed = async (report: MigrationReport) => {
      // If the dump contains unknown gamemodes, the migration will fail, so the prompt is skipped.
      const isPossible = Object.keys(report.leftOut.gamemodes).length === 0
      const about = reportLines(report)
      if (isPossible && !flags['dry-run']) await terminal.confirm('Migrate', { about })
      else terminal.note(about)
      return true
    }
    const work = { dump, renames, confirm: confirmed, dryRun: flags['dry-run'] }
    const report = await runMaintenance(session, flags.storage, (maintenance, source) =>
      maintenance.migrateStore({ ...source, ...work, signal: session.signal }),
    )
    const target = report.folder
    const text = `${playersText(report)}, ${catchesText(report)}`
    return terminal.print(report, () => (report.dryRun ? `Would add to ${target}: ${text}.` : `${target}: ${text}`))
  },
})

async function readRenames(path: string): Promise<Record<string, string>> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    const message = `${path} cannot be read (${error.code ?? error.name}).`
    throw new CliError({ code: 'file_not_read', message, hint: 'Check the path.', exit: EXIT.usage })
  })
  const renames = parseJsonText(decodeTextFile(bytes, path))
  const isMap = typeof renames === 'object' && renames !== null && !Array.isArray(renames)
  if (isMap && Object.values(renames).every((name) => typeof name === 'string'))
    return renames as Record<string, string>
  throw usageError(
    'The --rename file is not a JSON object of names.',
    'For example: {"Jo hn": "John", "u-1f3c": "Alex2"}',
  )
}

const MAX_NAMES = 20

function reportLines(report: MigrationReport): readonly string[] {
  const { players, catches, administrators, renamed, newSecrets, leftOut } = report
  const { orphans, gamemodes } = leftOut
  const byGamemode = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([gamemode, count]) => `${gamemode} ${count}`)
  const parts: readonly (readonly [what: string, count: number, names?: readonly string[]])[] = [
    ['players', players],
    ['fish', sumOf(catches.fish), byGamemode(catches.fish)],
    ['crabs', sumOf(catches.crab), byGamemode(catches.crab)],
    ['fish with an unknown rarity, migrated as Unknown/Other', catches.unknownRarities],
    ['administrators', administrators],
    ['renamed players', renamed.length, renamed.map(renameText)],
    [
      'players with a new password, because the old password cannot be used',
      newSecrets.passwords.length,
      newSecrets.passwords,
    ],
    ['players with a new key, because the old key cannot be used', newSecrets.fernetKeys.length, newSecrets.fernetKeys],
    ['skipped administrators', leftOut.administrators.length, leftOut.administrators],
    ['skipped catches of deleted players', sumOf(orphans), byGamemode(orphans)],
    ['catches in unknown gamemodes', sumOf(gamemodes), byGamemode(gamemodes)],
    ['skipped documents that are not catches', leftOut.invalidCatches],
    ['skipped collections without a gamemode', leftOut.collections.length, leftOut.collections],
    ['skipped API keys that belong to no player', leftOut.ownerlessApiKeys],
  ]
  return parts
    .filter(([, count]) => count > 0)
    .map(([what, count, names = []]) => {
      const listed = names.slice(0, MAX_NAMES).join(', ')
      const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more; to list all, add --json` : ''
      return `${what}: ${count}${listed === '' ? '' : ` (${listed}${more})`}`
    })
}

function renameText({ from, to, reason }: MigrationReport['renamed'][number]): string {
  return `${from} → ${to}${reason === 'taken' ? ' (taken)' : ''}`
}

const sumOf = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((sum, one) => sum + one, 0)

function playersText({ players }: MigrationReport): string {
  return `players: ${players}`
}

function catchesText({ catches, added }: MigrateReport): string {
  const all = sumOf(catches.fish) + sumOf(catches.crab)
  return `catches: ${all}${added === undefined || added === all ? '' : `, of which ${added} were stored, because some documents share an id`}`
}
