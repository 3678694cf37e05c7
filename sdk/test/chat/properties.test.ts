import {
  type ChatCatch,
  type ChatMessage,
  chatMessageOf,
  parseChatLine,
  stripChatFormatting,
} from '@fish-crab/sdk/chat'
import { crabBatchPayloadSchema, fishBatchPayloadSchema, RARITIES } from '@fish-crab/sdk/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const RUNS = { numRuns: 2000, seed: 20260731 }

const word = fc.stringMatching(/^[A-Z][a-z]{2,9}$/)
const letters = fc.constantFrom('Äsche', 'サーモン', 'Fisherman’s', "Peter's", 'Yellow-fin', '№7', '🐟', 'R&B', 'Café')
const name = fc
  .array(fc.oneof(word, letters), { minLength: 1, maxLength: 4 })
  .map((words) => words.join(' '))
  .filter((text) => !RARITIES.some(({ label }) => text.startsWith(`${label} `)))

const article = fc.constantFrom('a', 'an', 'the', 'some')
const millimetres = fc.integer({ min: 1, max: 99_999 })
const end = fc.constantFrom('.', '!', '', '. (x2)', '! +5 XP')
const subject = fc.constantFrom('You', 'Your Augments')

interface CatchMessage {
  readonly message: string
  readonly expected: ChatCatch
}

const byWord = fc
  .tuple(fc.constantFrom(...RARITIES), subject, article, name, fc.option(millimetres), end)
  .map(([{ value, catchWord }, who, a, fish, length, dot]): CatchMessage => {
    const size = length === null ? '' : ` with a length of ${length / 10}cm`
    return {
      message: `${catchWord ? `${catchWord} ` : ''}CATCH! ${who} caught ${a} ${fish}${size}${dot}`,
      expected: {
        kind: 'fish',
        name: fish,
        rarity: value,
        ...(length !== null && { lengthCm: length / 10 }),
        ...(who === 'Your Augments' && { byAugment: true }),
      },
    }
  })

const byLabel = fc.tuple(fc.constantFrom(...RARITIES), article, name, end).map(
  ([{ value, label }, a, fish, dot]): CatchMessage => ({
    message: `NEW ENTRY! You caught ${a} ${label} ${fish} for the first time${dot}`,
    expected: { kind: 'fish', name: fish, rarity: value, firstTime: true },
  }),
)

const crab = fc.tuple(fc.constantFrom('FISHING ▶ You fished up', 'NIMBLE! You’ve hooked'), fc.option(word), end).map(
  ([opening, sort, dot]): CatchMessage => ({
    message: `${opening} a ${sort ? `${sort} ` : ''}Crab${dot}`,
    expected: { kind: 'crab', name: sort ? `${sort} Crab` : 'crab' },
  }),
)

const catchMessage = fc.oneof(byWord, byLabel, crab)

/**
 * Invisible text to insert between characters. Each colour code is complete, so it does not consume the next character.
 */
const unseen = fc.constantFrom(
  '§a',
  '§L',
  '§x§f§f§0§0§a§a',
  'Â§7',
  '\x1b[0m',
  '\x1b[38;5;12m',
  '\u200b',
  '\u2060',
  '\0',
)
const spaces = fc.constantFrom(' ', '  ', '\u00a0', ' \t', '\u2003', '\u202f ', ' \u200b ')
const logPrefix = fc.constantFrom(
  '',
  '[23:59:59] [Render thread/INFO]: [CHAT] ',
  '[23:59:59] [Client thread/INFO]: [CHAT] ',
  '[23:59:59] [Render thread/INFO]: [System] [CHAT] ',
  '[23:59:59] [main/INFO] (Minecraft) [CHAT] ',
  '[05Jul2026 23:59:59.286] [Render thread/INFO] [net.minecraft.client.gui.components.ChatComponent/]: [CHAT] ',
)
const lineEnd = fc.constantFrom('', '\n', '\r\n', '  ', '§r')

function noisy(text: string, noise: readonly string[], gaps: readonly string[]): string {
  let count = 0
  const next = (list: readonly string[]) => list[count++ % list.length] ?? ''
  return Array.from(text, (character) => (character === ' ' ? next(gaps) : `${next(noise)}${character}`)).join('')
}

const disguise = fc.record({
  noise: fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant('') }, unseen), { minLength: 1, maxLength: 12 }),
  gaps: fc.array(spaces, { minLength: 1, maxLength: 7 }),
  prefix: logPrefix,
  lineEnd,
})

test('every catch message is recognized, regardless of its formatting and log prefix', () => {
  fc.assert(
    fc.property(catchMessage, disguise, ({ message, expected }, { noise, gaps, prefix, lineEnd }) => {
      const when = prefix === '' ? {} : { timeOfDay: '23:59:59' }
      expect(parseChatLine(`${prefix}${noisy(message, noise, gaps)}${lineEnd}`)).toStrictEqual({ ...expected, ...when })
    }),
    RUNS,
  )
})

test('the letter case of a message affects only the letter case of the name', () => {
  fc.assert(
    fc.property(catchMessage, ({ message, expected }) => {
      const found = parseChatLine(message.toUpperCase())
      expect(found).toEqual({ ...expected, name: expect.any(String) })
      expect(found?.name.toUpperCase()).toBe(expected.name.toUpperCase())
    }),
    RUNS,
  )
})

const player = fc.stringMatching(/^[A-Za-z0-9_]{3,16}$/)
const speech = fc.tuple(
  fc.constantFrom<(name: string) => string>(
    (who) => `<${who}> `,
    (who) => `${who}: `,
    (who) => `[VIP] ${who} » `,
    (who) => `[${who}] `,
    (who) => `[${who} -> me] `,
    (who) => `* ${who} `,
    (who) => `${who} whispers to you: `,
  ),
  fc.oneof(player, fc.constantFrom('NICE', 'CATCH', 'NEW', 'FISHING', 'NIMBLE', 'INFO')),
)

test('a player message is never read as a catch, regardless of the player name and any forged prefix', () => {
  fc.assert(
    fc.property(
      catchMessage,
      speech,
      disguise,
      logPrefix,
      ({ message }, [says, who], { noise, gaps, prefix }, forged) => {
        const written = `${says(who)}${forged}${message}`
        expect(parseChatLine(`${prefix}${noisy(written, noise, gaps)}`)).toBeUndefined()
      },
    ),
    RUNS,
  )
})

const piece = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...'NICE CATCH!|You caught| a | the |NEW ENTRY!|FISHING ▶|NIMBLE!|You’ve hooked|Crab'.split('|')),
  fc.constantFrom(' with a length of ', '1,2.3cm', ' for the first time', '[CHAT]', '[12:00:01]', '[a/INFO]', '\ud83d'),
  fc.constantFrom(
    '§',
    '§x',
    '&a',
    '\x1b[',
    'Â',
    'â€',
    '.',
    '!',
    ' ',
    '\u200d',
    '\u200b',
    '\r\n',
    '[',
    ']',
    '(',
    ')',
    ':',
  ),
)
const junk = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

test('parsing random text never throws, and the service accepts every catch found', () => {
  let found = 0
  fc.assert(
    fc.property(
      fc.oneof(
        junk,
        junk.map((text) => `NICE CATCH! You caught a ${text}`),
      ),
      (line) => {
        const entry = parseChatLine(line)
        if (!entry) return
        found++
        const { kind, ...fields } = entry
        const schema = kind === 'fish' ? fishBatchPayloadSchema : crabBatchPayloadSchema
        expect(schema.safeParse({ [kind]: [fields] })).toMatchObject({ success: true })
        expect(entry.name).toBe(entry.name.trim())
      },
    ),
    RUNS,
  )
  expect(found).toBeGreaterThan(100)
})

test('a message contains no formatting codes, control characters or doubled spaces', () => {
  fc.assert(
    fc.property(junk, (line) => {
      for (const text of [stripChatFormatting(line), chatMessageOf(line)?.text ?? '']) {
        expect(text).not.toMatch(/§|\p{Cc}|\s\s|^\s|\s$|\u200b/u)
      }
    }),
    RUNS,
  )
})

test('text without formatting stays unchanged', () => {
  fc.assert(
    fc.property(name, (text) => {
      expect(stripChatFormatting(text)).toBe(text)
      expect(chatMessageOf(text)).toStrictEqual<ChatMessage>({ text })
    }),
    RUNS,
  )
})
