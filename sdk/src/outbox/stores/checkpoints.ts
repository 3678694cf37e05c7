import type { Checkpoint } from '../checkpoint.ts'

/** Whether a checkpoint is another than its next value is to follow. */
export function checkpointMoved({ expected }: Checkpoint, value: string | undefined): boolean {
  return expected !== undefined && expected !== (value ?? null)
}
