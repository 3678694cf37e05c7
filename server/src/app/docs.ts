/** One file of the API reference. */
export interface DocsFile {
  readonly contentType: string
  readonly body: Uint8Array<ArrayBuffer>
  /** The same in gzip. @default it is sent as it is */
  readonly gzip?: Uint8Array<ArrayBuffer>
  /** Changes with the content, and holds no quotation mark. */
  readonly version: string
}

/**
 * The API reference as a page. The app brings none: it is large, and mocks have no use for it. The page finds its
 * files under `/docs/`, and everything it needs among them.
 */
export interface Docs {
  page(): Promise<DocsFile>
  /** The file of this name, `undefined` when there is none. */
  asset(name: string): Promise<DocsFile | undefined>
}
