import { GAMEMODES, type Gamemode, isGamemode, type RarityValue } from '@fish-crab/sdk'
import type { FlushReport } from '@fish-crab/sdk/outbox'
import { usageError } from '../failures/cli-error.ts'
import { EXIT, type ExitStatus } from '../failures/exit.ts'
import { catchesText } from '../outbox/catches-text.ts'
import { flushStatus, flushWithProgress } from '../outbox/flush-with-progress.ts'
import { openPlayerOutbox } from '../outbox/open-outbox.ts'
import type { RunIo } from '../run-io.ts'
import { maxWaitMs, needUser, type ServiceFlags, selection } from '../service/client.ts'
import { checkFile, queueFile } from './add-file.ts'
import type { ImportDefaults } from './checked-catches.ts'
import { openSource } from './source.ts'

/** The flags of `add --file`. */
export interface AddFileFlags extends ServiceFlags {
  readonly file: string
  readonly rarity?: string | undefined
  readonly crab?: boolean | undefined
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
  readonly document:
    | { readonly dryRun: true; readonly catches: number }
    | (Pick<FlushReport, 'sent' | 'setAside' | 'left'> & { readonly catches: number })
}

/**
 * Adds the catches of a file, all checked before anything is changed, each once, through the outbox.
 *
 * @throws CliError `wrong_lines`, `file_not_readable`, `interrupted`; what kept catches from being sent
 */
export async function runAddFile(io: RunIo, { flags, rarity, note }: AddFileWish): Promise<AddFileOutcome> {
  const user = needUser(io, flags.user, 'Add --user USER', flags)
  const limit = maxWaitMs(selection(io, flags).maxWait)
  const defaults: ImportDefaults = {
    user,
    gamemode: usualGamemode(io, flags),
    rarity,
    kind: flags.crab ? 'crab' : 'fish',
  }
  const signal = io.interrupted()
  await using source = await openSource(io, flags.file, signal)
  const catches = await checkFile(source, defaults, flags.json ? undefined : note)
  if (flags['dry-run']) {
    return { status: EXIT.ok, text: `Would add ${catchesText(catches)}.`, document: { dryRun: true, catches } }
  }
  const outbox = await openPlayerOutbox(io, flags, defaults)
  try {
    const wish = { maxWaitMs: limit, signal }
    const { before, settle } = await queueFile(io, outbox, { source, defaults, total: catches, ...wish })
    if (before > 0) note(`fish-cli: ${before} of these were queued by a run that was killed; this one goes on there.`)
    try {
      const report = await flushWithProgress(io, outbox, wish)
      const status = flushStatus(report, note)
      const { sent, setAside, left } = report
      const text = `${catchesText(catches)} taken: ${sent} sent, ${setAside} set aside, ${left} left.`
      return { status, text, document: { catches, sent, setAside, left } }
    } finally {
      await settle()
    }
  } finally {
    await outbox.close({ signal })
  }
}

function usualGamemode(io: RunIo, flags: AddFileFlags): Gamemode | undefined {
  const name = selection(io, flags).gamemode?.value.toLowerCase()
  if (name === undefined || isGamemode(name)) return name
  throw usageError('There is no such gamemode.', `Gamemodes: ${GAMEMODES.join(', ')}`)
}
