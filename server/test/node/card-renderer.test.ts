import { expect, it } from 'vitest'
import { cardOf } from '../../src/app/sharing/card.ts'
import { loadCardRenderer } from '../../src/node/card-renderer.ts'
import { createBlockingTasks } from './blocking-tasks.ts'

const species = (name: string, rarity: 'Mythical' | 'Gold') => ({
  name,
  rarity,
  count: 1,
  firstCaughtAt: '2026-01-01T00:00:00.000Z',
  lastCaughtAt: '2026-01-01T00:00:00.000Z',
})

const card = (user: string, name = 'Осётр & Ωμέγα <b>') =>
  cardOf(
    {
      user,
      total: 2,
      unique: 2,
      byRarity: { 'Unknown/Other': 0, Bronze: 0, Silver: 0, Gold: 1, Diamond: 0, Platinum: 0, Mythical: 1 },
      gamemodes: [{ gamemode: 'earth', fish: { total: 2, unique: 2 }, crab: { total: 0, unique: 0 } }],
      rarest: [species(name, 'Mythical'), species('Koi', 'Gold')],
      latest: [],
      days: [],
      streak: { current: 2, longest: 2 },
    },
    { site: 'Fish and Crab Collection', address: 'fish.example/@Alex' },
  )

it('the renderer converts a card and its text to a PNG of 1200 by 630 pixels', async () => {
  const render = await loadCardRenderer({ info() {} })
  const [alex, ben] = await Promise.all([render?.(card('Alex')), render?.(card('Ben'))])
  const png = Buffer.from(alex ?? [])
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630])
  // Without fonts, the renderer would draw no text, and both cards would be equal.
  expect(png.equals(ben ?? new Uint8Array())).toBe(false)
})

it('the renderer draws a glyph or a placeholder for letters that Manrope lacks', async () => {
  const render = await loadCardRenderer({ info() {} })
  for (const name of ['\u{1f41f}', '魚', 'سمك', 'דג']) {
    const svg = card('Alex', name)
    const [drawn, nameless] = await Promise.all([render?.(svg), render?.(svg.replace(`>${name}<`, '><'))])
    expect(Buffer.from(drawn ?? []).equals(nameless ?? new Uint8Array())).toBe(false)
  }
})

it.runIf(process.platform !== 'win32')(
  'the renderer uses a thread of its own, even if the thread pool is busy',
  async () => {
    const render = await loadCardRenderer({ info() {} })
    const { block, run } = createBlockingTasks()
    for (const name of ['a', 'b', 'c', 'd']) run(block(name))
    expect((await render?.(card('Alex')))?.byteLength).toBeGreaterThan(0)
  },
)

it('the renderer rejects an invalid picture', async () => {
  const render = await loadCardRenderer({ info() {} })
  await expect(render?.('<svg')).rejects.toThrow()
})
