import type { ApiRequest } from './api-request.ts'
import type { Settings } from './options.ts'

/** Takes what a request kept secret out of a text that came back. */
export type Redaction = <Text extends string | undefined>(text: Text) => Text

const REDACTED = '[redacted]'

/** A server, or a proxy before it, may repeat what it was sent: that must not get into an error or a log. */
export function createRedaction({ headers = {} }: ApiRequest, { apiKey }: Settings): Redaction {
  const secrets = [apiKey, headers.authorization?.replace(/^\w+ /, '')].filter((secret) => secret !== undefined)
  if (secrets.length === 0) return (text) => text
  return (text) =>
    secrets.reduce<string | undefined>((all, secret) => all?.replaceAll(secret, REDACTED), text) as typeof text
}
