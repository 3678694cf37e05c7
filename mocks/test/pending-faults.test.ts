import { createMock } from '@fish-crab/mocks'
import { describe, expect, it } from 'vitest'

const seed = { users: [{ name: 'Alex' }] }

describe('assertNoPendingFaults()', () => {
  it('throws an error that lists each pending fault with the expected and the actual number of affected requests', async () => {
    await using mock = await createMock({ seed })
    mock.fail({ status: 503 }, { times: 2, on: 'status' })
    mock.fail('reset', { on: ['postFish', 'GET /get/fish'], user: 'Alex' })
    await mock.fetch('/status')
    expect(() => mock.assertNoPendingFaults()).toThrow(
      new Error(
        '2 faults are pending:\n' +
          '- status 503 on status fired 1 of 2 times\n' +
          '- reset on postFish, GET /get/fish for Alex fired 0 of 1 times',
      ),
    )
  })

  it('does not throw if every fault fired as often as requested or was cancelled', async () => {
    await using mock = await createMock({ seed })
    mock.fail({ status: 503 })
    mock.fail('reset', { on: 'postFish' }).cancel()
    await mock.fetch('/status')
    mock.assertNoPendingFaults()
  })

  it('considers an unlimited fault pending until the fault fires once', async () => {
    await using mock = await createMock({ seed })
    mock.fail({ status: 503 }, { times: Number.POSITIVE_INFINITY })
    expect(() => mock.assertNoPendingFaults()).toThrow('1 fault is pending:\n- status 503 fired 0 times')
    await mock.fetch('/status')
    mock.assertNoPendingFaults()
  })
})
