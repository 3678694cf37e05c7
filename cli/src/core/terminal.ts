/** Variables of the environment. */
export type Env = Readonly<Record<string, string | undefined>>

/** A stream that may be a terminal, of so many cells and lines. */
export type Terminal<Stream> = Stream & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }
