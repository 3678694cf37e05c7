import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import type { Backend } from './fleet.ts'
import { shareFleet } from './shared.ts'
import { describeSharedMoves } from './shared-moves.ts'

async function startFileBackend(): Promise<Backend> {
  const folder = await mkdtemp(join(tmpdir(), 'fish-moves-'))
  return { address: `file:${folder}`, stop: () => rm(folder, { recursive: true }) }
}

describe('one server process over a file', () => describeSharedMoves(shareFleet(startFileBackend, 1)))
