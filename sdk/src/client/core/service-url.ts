/** The default of `baseUrl`. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:8787'

/** The rule of {@link isServiceUrl}, for messages that begin with "Must be". */
export const SERVICE_URL_RULE = 'an http or https address without user, password, query or fragment'

/** Whether a value is a valid `baseUrl`. */
export function isServiceUrl(value: unknown): value is string {
  if (typeof value !== 'string') return false
  try {
    const url = new URL(value)
    return /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#]/.test(value)
  } catch {
    return false
  }
}

/** The canonical form of a `baseUrl`. */
export function serviceAddress(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl)
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`
}
