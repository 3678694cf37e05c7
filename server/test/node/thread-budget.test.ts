import { createNodeEncoder, createScryptHasher } from '@fish-crab/server'
import { describe, expect, it } from 'vitest'
import { createThreadBudget } from '../../src/node/thread-budget.ts'
import { createBlockingTasks } from './blocking-tasks.ts'

const gzip = () => createNodeEncoder().encode(new Uint8Array(2048), 'gzip', 'a client')

describe.runIf(process.platform !== 'win32')('the thread pool', () => {
  it('has threads for a password check and for gzip while four cards are rendered', async () => {
    const { block, started, run } = createBlockingTasks()
    const threads = createThreadBudget()
    const render = threads.limitCards(async (svg) => {
      await block(svg)
      return new Uint8Array()
    })
    const passwords = threads.limitPasswords(createScryptHasher({ N: 16, r: 1, p: 1 }))
    for (const svg of ['a', 'b', 'c', 'd']) run(render(svg))
    expect(await passwords.verify('password', await passwords.hash('password'))).toBe(true)
    expect(await gzip()).toBeDefined()
    expect(started).toEqual(['a', 'b'])
  })

  it('has a thread for gzip while four cards are rendered and four passwords are checked', async () => {
    const { block, started, run } = createBlockingTasks()
    const threads = createThreadBudget()
    const render = threads.limitCards(async () => {
      await block('card')
      return new Uint8Array()
    })
    const passwords = threads.limitPasswords({
      hash: async () => '',
      verify: async () => {
        await block('password')
        return true
      },
    })
    for (let count = 0; count < 4; count += 1) {
      run(passwords.verify('password', 'hash'))
      run(render('card'))
    }
    expect(await gzip()).toBeDefined()
    expect(started.toSorted()).toEqual(['card', 'password', 'password'])
  })
})
