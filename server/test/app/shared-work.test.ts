import { describe, expect, it } from 'vitest'
import { createSharedWork } from '../../src/app/core/shared-work.ts'

/** Shared work whose runs the test settles. */
function createRuns() {
  const share = createSharedWork<string, string>()
  const runs: (PromiseWithResolvers<string> & { readonly signal: AbortSignal })[] = []
  const call = (key: string, signal = new AbortController().signal) =>
    share(key, signal, (shared) => {
      const run = { ...Promise.withResolvers<string>(), signal: shared }
      runs.push(run)
      return run.promise
    })
  return { call, runs }
}

describe('shared work', () => {
  it('runs once for concurrent calls with the same key, and again for a later call', async () => {
    const { call, runs } = createRuns()
    const calls = [call('a'), call('a'), call('b')]
    expect(runs).toHaveLength(2)
    runs[0]?.resolve('first')
    runs[1]?.resolve('other key')
    expect(await Promise.all(calls)).toEqual(['first', 'first', 'other key'])
    const later = call('a')
    runs[2]?.resolve('second')
    expect(await later).toBe('second')
  })

  it('rejects all callers with the error of the run, and the next call tries again', async () => {
    const { call, runs } = createRuns()
    const calls = [call('a'), call('a')]
    runs[0]?.reject(new Error('the disk is full'))
    for (const { reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ message: 'the disk is full' })
    }
    const later = call('a')
    runs[1]?.resolve('done')
    expect(await later).toBe('done')
  })

  it('continues for the other callers if the first caller aborts', async () => {
    const { call, runs } = createRuns()
    const leaving = new AbortController()
    const calls = [call('a', leaving.signal), call('a')]
    leaving.abort(new Error('the client has left'))
    await expect(calls[0]).rejects.toThrow('the client has left')
    expect(runs[0]?.signal.aborted).toBe(false)
    runs[0]?.resolve('done')
    expect(await calls[1]).toBe('done')
    expect(runs).toHaveLength(1)
  })

  it('aborts the run when no caller remains, and a later call does not join the aborted run', async () => {
    const { call, runs } = createRuns()
    const leaving = new AbortController()
    const calls = [call('a', leaving.signal), call('a', leaving.signal)]
    leaving.abort(new Error('the client has left'))
    await Promise.allSettled(calls)
    expect(runs[0]?.signal.reason).toMatchObject({ message: 'the client has left' })
    const later = call('a')
    runs[0]?.reject(new Error('aborted'))
    runs[1]?.resolve('done')
    expect(await later).toBe('done')
  })

  it('does not start for a caller whose signal is already aborted', async () => {
    const { call, runs } = createRuns()
    await expect(call('a', AbortSignal.abort(new Error('the client has left')))).rejects.toThrow('has left')
    expect(runs).toHaveLength(0)
  })
})
