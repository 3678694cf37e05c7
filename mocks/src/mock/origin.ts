/**
 * The one spelling of an origin: no trailing slash, no default port, a host in lower case.
 * @param option Which one it is, for the message.
 * @throws TypeError when it is none. What was given is not repeated: there may be a password in it.
 * @example checkOrigin('http://Fish.test:80/') // 'http://fish.test'
 */
export function checkOrigin(given: string, option = 'origin'): string {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined
  const rest = url && url.pathname + url.search + url.hash + url.username + url.password
  if (!url || rest !== '/' || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      `${option}: An origin is http or https, a host and perhaps a port, and no path: such as http://fish.test.`,
    )
  }
  return url.origin
}
