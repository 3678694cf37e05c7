/** Where the client looks for the service when `baseUrl` is not given. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:8787'

/** What {@link isServiceUrl} asks for, to follow "Must be". */
export const SERVICE_URL_RULE = 'an http or https address without user, password, query or fragment'

/** Whether a value can be the address of a service. */
export function isServiceUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const url = new URL(value)
  return /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#]/.test(value)
}

/** The one spelling of a service's address. */
export function serviceAddress(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}
