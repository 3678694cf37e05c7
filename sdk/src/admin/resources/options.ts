import type { CallOptions } from '../../client/call-options.ts'

/** What a call that is sent once may be told: there are no further tries to count. */
export type OnceOptions = Omit<CallOptions, 'maxRetries'>

/** Which page to read. */
export interface PageOptions extends CallOptions {
  /** Entries a page, 1 to 1000. @default 100 */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

/** How to go through all pages. */
export interface PagesOptions extends CallOptions {
  /** Entries a request, 1 to 1000. @default 1000 */
  readonly pageSize?: number | undefined
}

/** Which users to list. */
export interface ListUsersOptions extends PageOptions {
  /** Part of a name, in any letter case; up to 32 characters. @default all users */
  readonly search?: string | undefined
}

/** Which users to go through. */
export interface IterateUsersOptions extends PagesOptions {
  /** Part of a name, in any letter case; up to 32 characters. @default all users */
  readonly search?: string | undefined
}
