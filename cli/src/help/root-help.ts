import { AUDIENCES, type Audience, commandsOf } from './audiences.ts'

/** One line of a list: what to type, and what it is. */
export type HelpLine = readonly [left: string, right: string]

/** What the page of the whole program is made from. */
export interface RootHelpInput {
  readonly ids: readonly string[]
  readonly topics: Readonly<Record<string, { readonly description: string }>>
  readonly summaryOf: (id: string) => string
}

/** What a newcomer types, in this order. */
export const FIRST_STEPS: readonly HelpLine[] = [
  ['fish-cli demo', 'look around; no server, no account'],
  ['fish-cli login Alex --url URL -g earth', 'once: fetches and keeps your key'],
  ['fish-cli add Salmon -r gold', 'add a fish that you caught'],
  ['fish-cli list', 'see your collection'],
  ['fish-cli watch', 'add what you catch while you play'],
]

/** Every command and topic, under a title for those who use it. */
export function commandLists(input: RootHelpInput): readonly { title: string; lines: readonly HelpLine[] }[] {
  return AUDIENCES.map((audience) => ({
    title: `FOR ${audience.name.toUpperCase()}`,
    lines: linesOf(audience, input),
  }))
}

function linesOf(audience: Audience, { ids, topics, summaryOf }: RootHelpInput): readonly HelpLine[] {
  const own = commandsOf({ ...audience, ids: [] }, ids)
  return audience.words.flatMap((word): HelpLine[] => {
    const topic = topics[word]
    if (!topic) return own.includes(word) ? [[word, summaryOf(word)]] : []
    const verbs = ids.flatMap((id) => (id.startsWith(`${word}:`) ? [id.slice(word.length + 1)] : []))
    return [[word, `${topic.description}: ${verbs.join(', ')}`]]
  })
}
