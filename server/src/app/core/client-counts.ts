/** Creates a counter of used resources for each client key. */
export function createClientCounts() {
  const counts = new Map<string, number>()
  return {
    of: (client: string): number => counts.get(client) ?? 0,
    add(client: string, by: 1 | -1): void {
      const count = (counts.get(client) ?? 0) + by
      if (count > 0) counts.set(client, count)
      else counts.delete(client)
    },
  }
}
