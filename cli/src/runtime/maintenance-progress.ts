import type { MaintenanceProgress } from '@fish-crab/server'
import type { RunIo } from '../core/run-io.ts'
import { createProgress, type Progress } from '../output/progress.ts'
import { bytesText } from './bytes-text.ts'

/** Tells how far maintenance is, one step after the other. */
export interface MaintenanceTeller {
  readonly onProgress: (progress: MaintenanceProgress) => void
  /** Takes what is told away. */
  end(): void
}

const LABELS: Readonly<Record<MaintenanceProgress['step'], string>> = {
  check: 'Checking',
  copy: 'Copying',
  write: 'Writing',
  rotate: 'Sealing anew',
}

/** Progress on stderr: a bar on a terminal, elsewhere a line every ten seconds at most. */
export function maintenanceTeller({ line, clock }: Pick<RunIo, 'line' | 'clock'>): MaintenanceTeller {
  let current: { readonly step: string; readonly progress: Progress; readonly done: number } | undefined
  return {
    onProgress({ step, unit, done, total }) {
      // Also a second check is a step of its own.
      if (current?.step !== step || done < current.done) {
        current?.progress.end()
        const amount = unit === 'bytes' ? { amount: bytesText } : {}
        current = { step, done, progress: createProgress(line, clock, { unit, total, label: LABELS[step], ...amount }) }
      }
      current = { ...current, done }
      current.progress.update(done)
    },
    end() {
      current?.progress.end()
      current = undefined
    },
  }
}
