import { type Audience, ROUTES } from '@fish-crab/sdk/contract'

const ALL = Object.values(ROUTES)
const BY_PATH: ReadonlyMap<string, Audience> = new Map(ALL.map(({ path, audience }) => [path, audience]))

/** The paths that have parameters, each standing for one segment. */
const PATTERNS = ALL.filter(({ path }) => path.includes(':')).map(({ audience, path }) => ({
  audience,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
}))
const DOCS_PREFIX = `${ROUTES.docs.path}/`

/** Whom a canonical path is for. What nobody serves counts as public, so that guessing paths is limited too. */
export function audienceOf(path: string): Audience {
  const known = BY_PATH.get(path)
  if (known) return known
  if (path.startsWith(DOCS_PREFIX)) return 'operations'
  return PATTERNS.find(({ pattern }) => pattern.test(path))?.audience ?? 'public'
}
