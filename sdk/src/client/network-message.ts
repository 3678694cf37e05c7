// What the `fetch` of Node, Chrome, Firefox, Safari, Deno, Bun, React Native and Cloudflare say of a lost connection.
const NETWORK_MESSAGE =
  /^(fetch failed|terminated|failed to fetch|load failed|error sending request|unable to connect|network ?(error|request failed|connection))/i

/** Whether a message is that of a lost connection, and tells no more than that. */
export function isNetworkMessage(message: string): boolean {
  return NETWORK_MESSAGE.test(message)
}
