import { ConnectionError } from '../errors/connection-errors.ts'
import type { ProxyErrorFields } from './platform.ts'
import type { FailedProxy } from './proxy-blame.ts'

const NO_CREDENTIALS = 407

/** What a request that did not get past a proxy ends with. */
export function proxyError(
  { address, status }: FailedProxy,
  fields: ProxyErrorFields & { readonly cause: unknown },
): ConnectionError {
  // What broke at a proxy that answered is no matter.
  const systemCode = status === undefined ? fields.systemCode : undefined
  const summary =
    status === undefined
      ? `No answer from the proxy ${address}${systemCode ? ` (${systemCode})` : ''}.`
      : `The proxy ${address} refused to pass the request on (status ${status}).`
  return new ConnectionError(summary, {
    ...fields,
    systemCode,
    code: 'proxy_error',
    proxy: address,
    hint: hintOf(status),
  })
}

function hintOf(status: number | undefined): string {
  if (status === NO_CREDENTIALS) {
    return 'HTTP_PROXY or HTTPS_PROXY must hold the name and the password that it asks for: http://NAME:PASSWORD@HOST:PORT'
  }
  const without = 'To do without it, unset the variable, or name the host of the service in NO_PROXY.'
  if (status !== undefined) return `Can and may it reach the service? ${without}`
  return `Is the proxy running, and is HTTP_PROXY or HTTPS_PROXY right? ${without}`
}
