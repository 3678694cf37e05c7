import type { StaticFile } from './http/static-file.ts'

/**
 * The API reference as a page. The app brings none: it is large, and mocks have no use for it. The page finds its
 * files under `/docs/`, and everything it needs among them.
 */
export interface Docs {
  page(): Promise<StaticFile>
  /** The file of this name, `undefined` when there is none. */
  asset(name: string): Promise<StaticFile | undefined>
}
