/** Who uses commands: a title, and the words that their commands begin with, those first that are needed first. */
export interface Audience {
  readonly name: string
  readonly words: readonly string[]
  /** Commands of two words whose first word is another's. */
  readonly ids?: readonly string[]
}

/** Everyone that commands are for. Help, the reference page and the man page show commands in this order. */
export const AUDIENCES = [
  {
    name: 'players',
    words: [
      'demo',
      'login',
      'add',
      'list',
      'watch',
      'stats',
      'status',
      'outbox',
      'whoami',
      'doctor',
      'profile',
      'config',
      'key',
      'logout',
      'completion',
    ],
  },
  { name: 'administrators', words: ['user', 'admin', 'leaderboard', 'audit'], ids: ['key:rotate'] },
  {
    name: 'operators',
    words: ['serve', 'backup', 'restore', 'export', 'import', 'reseal', 'mock', 'conformance'],
  },
] as const satisfies readonly Audience[]

/** The commands of an audience, in the order of its words. */
export function commandsOf({ words, ids = [] }: Audience, all: readonly string[]): readonly string[] {
  const others: readonly string[] = AUDIENCES.flatMap((audience) => ('ids' in audience ? audience.ids : []))
  const own = words.flatMap((word) =>
    all.filter((id) => (id === word || id.startsWith(`${word}:`)) && !others.includes(id)),
  )
  return [...own, ...all.filter((id) => ids.includes(id))]
}
