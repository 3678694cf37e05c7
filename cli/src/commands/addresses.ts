import { usageError } from '../core/errors.ts'

/** The address of a service that is to be checked. @throws CliError when it is none, or holds more than one */
export function checkedAddress(text: string): string {
  const { protocol, username, search, hash } = URL.parse(text) ?? {}
  const isAddress = protocol === 'http:' || protocol === 'https:'
  if (isAddress && username === '' && search === '' && hash === '') return text
  throw usageError('URL (FISH_URL) must be an address such as http://127.0.0.1:8787.')
}

/** An origin, as a browser names it. @throws CliError that names the flag */
export function checkedOrigin(flag: string, text: string): string {
  if (URL.parse(text)?.origin === text) return text
  throw usageError(`${flag} must be an origin such as https://example.org.`)
}
