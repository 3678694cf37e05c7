import { type Audience, ROUTES } from '@fish-crab/sdk/contract'

/** The paths of each audience, with parameters standing for one segment. */
const PATHS = Object.values(ROUTES).map(({ audience, path }) => ({
  audience,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
}))
const DOCS_PREFIX = `${ROUTES.docs.path}/`

/** Whom a canonical path is for. What nobody serves counts as public, so that guessing paths is limited too. */
export function audienceOf(path: string): Audience {
  if (path.startsWith(DOCS_PREFIX)) return 'operations'
  return PATHS.find(({ pattern }) => pattern.test(path))?.audience ?? 'public'
}
