import type { MaintenanceProgress } from '@fish-crab/server'
import type { Context } from '../core/context.ts'
import { createProgress, type Progress } from '../output/progress.ts'

interface MaintenanceProgressBar {
  readonly onProgress: (progress: MaintenanceProgress) => void
  end(): void
}

const LABELS: Readonly<Record<MaintenanceProgress['step'], string>> = {
  check: 'Checking',
  copy: 'Copying',
  write: 'Writing',
  rotate: 'Encrypting',
}

/** Shows progress on stderr: a bar on a terminal, otherwise a line at most every ten seconds. */
export function createMaintenanceProgress({ line, clock }: Pick<Context, 'line' | 'clock'>): MaintenanceProgressBar {
  let current: { readonly step: string; readonly progress: Progress; readonly done: number } | undefined
  return {
    onProgress({ step, unit, done, total }) {
      // A second check is a separate step.
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

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** Bytes with a decimal unit. @example bytesText(12_345_678) // '12 MB' */
export function bytesText(bytes: number): string {
  const power = Math.max(0, Math.min(Math.floor(Math.log10(Math.max(1, bytes)) / 3), UNITS.length - 1))
  const amount = bytes / 1000 ** power
  return `${power > 0 && amount < 10 ? amount.toFixed(1) : Math.floor(amount)} ${UNITS[power]}`
}
