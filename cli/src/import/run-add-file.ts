import type { RarityValue } from '@fish-crab/sdk/constants'
import type { FlushReport } from '@fish-crab/sdk/outbox'
import { chosenGamemode } from '../catches/gamemode.ts'
import { catchesText } from '../client/catches-text.ts'
import { flushStatus, flushWithProgress, joinedReport } from '../client/flush-with-progress.ts'
import { maxWaitMs, needUser, type ServiceFlags, selection } from '../client/open-client.ts'
import { checkPlayer, openIdleOutbox, openPlayerOutbox } from '../client/open-outbox.ts'
import { outboxPath } from '../client/outbox-path.ts'
import { EXIT, type ExitStatus } from '../core/exit.ts'
import type { RunIo } from '../core/run-io.ts'
import { printable } from '../output/printable.ts'
import { checkFile, type FileContent } from './check-file.ts'
import type { ImportDefaults } from './checked-catches.ts'
import { lockImport, refuseRunning } from './import-lock.ts'
import { importName, type PlayersImport, queuedBefore } from './import-place.ts'
import { readTimeZone } from './moments.ts'
import { queueFile } from './queue-file.ts'
import { openSource } from './source.ts'

/** The flags of `add --file`. */
export interface AddFileFlags extends ServiceFlags {
  readonly file: string
  readonly rarity?: string | undefined
  readonly crab?: boolean | undefined
  readonly timezone?: string | undefined
  readonly 'dry-run'?: boolean | undefined
  readonly 'no-input'?: boolean | undefined
}

/** What `add --file` is told. */
export interface AddFileWish {
  readonly flags: AddFileFlags
  /** Of fish whose record tells none. */
  readonly rarity: RarityValue | undefined
  /** Tells a person. */
  readonly note: (text: string) => void
}

/** What `add --file` did, or would do. */
export interface AddFileOutcome {
  readonly status: ExitStatus
  readonly text: string
  /** `catches` are those of the file, `queued` those of them that a run which did not end has queued. */
  readonly document:
    | (FileContent & { readonly dryRun: true; readonly user: string; readonly queued: number })
    | (Pick<FlushReport, 'sent' | 'setAside' | 'left'> & { readonly catches: number })
}

/**
 * Adds the catches of a file, all checked before anything is changed, each once, through the outbox. One run at a time
 * does so with the same content for the same player.
 *
 * @throws CliError `import_running`, `import_ended`, `wrong_lines`, `file_not_readable`, `interrupted`; what kept catches from being sent
 */
export async function runAddFile(io: RunIo, { flags, rarity, note }: AddFileWish): Promise<AddFileOutcome> {
  const startedAt = io.startedAt ?? io.clock.now()
  const user = needUser(io, flags.user, 'Add --user USER', flags)
  const { url, maxWait, gamemode } = selection(io, flags)
  const wish = { maxWaitMs: maxWaitMs(maxWait), signal: io.interrupted() }
  const defaults: ImportDefaults = {
    user,
    gamemode: chosenGamemode(gamemode),
    rarity,
    kind: flags.crab ? 'crab' : 'fish',
    timeZone: flags.timezone === undefined ? undefined : readTimeZone(flags.timezone),
  }
  await using source = await openSource(io, flags.file, wish.signal)
  const name = importName(source, defaults)
  const path = outboxPath(io, url.value)
  const check = () => checkFile(source, defaults, flags.json ? undefined : note)
  if (flags['dry-run']) {
    refuseRunning(path, name)
    const { catches, gamemodes } = await check()
    await checkPlayer(io, flags, defaults)
    const queued = await queuedAlready(io, flags, { name, user, content: source.hash })
    const rest = queued === 0 ? '' : `; an earlier run has queued ${queued} of this file already`
    const held = Object.entries(gamemodes).map(([gamemode, count]) => `${count} in ${gamemode}`)
    const would = `Would add ${catchesText(catches - queued)} for ${printable(user)}${rest}.`
    const text = `${would} The file holds: ${held.join(', ')}.`
    return { status: EXIT.ok, text, document: { dryRun: true, user, catches, gamemodes, queued } }
  }
  await using _lock = await lockImport(io, path, name)
  const { catches } = await check()
  const outbox = await openPlayerOutbox(io, flags, defaults)
  try {
    const queueing = { source, defaults, name, startedAt, total: catches, ...wish }
    const { before, flushed, settle } = await queueFile(io, outbox, queueing)
    if (before > 0) note(`fish-cli: ${beforeText(before, catches)}`)
    try {
      const report = joinedReport(flushed, await flushWithProgress(io, outbox, wish))
      const status = flushStatus(report, note)
      const { sent, setAside, left } = report
      const text = `${catchesText(catches)} taken: ${sent} sent, ${setAside} set aside, ${left} left.`
      return { status, text, document: { catches, sent, setAside, left } }
    } finally {
      await settle()
    }
  } finally {
    await outbox.close({ signal: wish.signal })
  }
}

function beforeText(before: number, catches: number): string {
  if (before < catches) return `${before} of these were queued by a run that did not end; this one goes on there.`
  return 'All of these were queued by an earlier run; this one sends what still waits, and adds nothing.'
}

async function queuedAlready(io: RunIo, flags: ServiceFlags, own: PlayersImport): Promise<number> {
  await using outbox = await openIdleOutbox(io, flags)
  return outbox ? await queuedBefore(outbox, own) : 0
}
