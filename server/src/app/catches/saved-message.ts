import type { Kind } from '@fish-crab/sdk/contract'

const NOUNS: Readonly<Record<Kind, { one: string; many: string }>> = {
  fish: { one: 'Fish', many: 'fish' },
  crab: { one: 'Crab', many: 'crabs' },
}

/** What a write answers. @example savedMessage('fish', 3, 'Alex') // '3 fish saved for user Alex' */
export function savedMessage(kind: Kind, count: number, user: string): string {
  const what = count === 1 ? NOUNS[kind].one : `${count} ${NOUNS[kind].many}`
  return `${what} saved for user ${user}`
}
