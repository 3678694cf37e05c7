import type { Outbox, SetAsideBatch } from '@fish-crab/sdk/outbox'
import { CliError, usageError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'

/**
 * The set-aside batches that were named, all when none was.
 *
 * @param outbox None where nothing was ever queued.
 * @throws CliError when a name is no number, or there is no such batch
 */
export async function chosenBatches(
  outbox: Outbox | undefined,
  names: readonly string[],
): Promise<readonly SetAsideBatch[]> {
  if (!names.every((name) => /^\d{1,15}$/.test(name))) throw usageError('ID must be a number.', SEE)
  const batches = outbox ? await outbox.setAside() : []
  if (names.length === 0) return batches
  const ids = new Set(names.map(Number))
  const chosen = batches.filter(({ id }) => ids.has(id))
  if (chosen.length === ids.size) return chosen
  throw new CliError({
    code: 'batch_not_found',
    message: 'Nothing is set aside under that ID.',
    hint: SEE,
    exit: EXIT.notFound,
  })
}

const SEE = 'See the IDs: fish-cli outbox status'

/** How many catches batches hold. */
export function countOf(batches: readonly SetAsideBatch[]): number {
  return batches.reduce((sum, { count }) => sum + count, 0)
}
