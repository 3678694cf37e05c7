import { type Audience, ROUTES } from '@fish-crab/sdk/contract'

const OPERATIONS: ReadonlySet<string> = new Set(
  Object.values(ROUTES)
    .filter(({ audience }) => audience === 'operations')
    .map(({ path }) => path),
)
const DOCS_PREFIX = `${ROUTES.docs.path}/`
const ADMIN_PREFIX = `${ROUTES.adminLogin.path.slice(0, ROUTES.adminLogin.path.lastIndexOf('/'))}/`

/** Whom a canonical path is for. What nobody serves counts as public, so that guessing paths is limited too. */
export function audienceOf(path: string): Audience {
  if (OPERATIONS.has(path) || path.startsWith(DOCS_PREFIX)) return 'operations'
  return path.startsWith(ADMIN_PREFIX) ? 'admin' : 'public'
}
