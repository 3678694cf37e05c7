/**
 * Whom a route is for, which decides what counts its requests:
 * `public`, one limit per client; `admin`, one per administrator; `operations`, none.
 */
export type Audience = 'public' | 'admin' | 'operations'

/** One route: its method, its path (`:name` is a parameter) and its audience. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly audience: Audience
}

/**
 * A path with its parameters filled in, percent-encoded.
 * @example filledPath('/admin/users/:name', { name: 'Alex' }) // '/admin/users/Alex'
 */
export function filledPath(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/:(\w+)/g, (_, key: string) => {
    const value = params[key]
    if (value === undefined) throw new TypeError(`The path ${path} needs the parameter "${key}".`)
    return encodeURIComponent(value)
  })
}
