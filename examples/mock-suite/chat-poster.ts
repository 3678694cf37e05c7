/** The tested part of a mod: posts the catch that a line of the game's chat reports. */
import { type Client, RateLimitError } from '@fish-crab/sdk'
import { parseChatLine } from '@fish-crab/sdk/chat'

/**
 * The outcome of a line. `later` means that nothing was stored because of the rate limit. Tell the player, and post the
 * line again.
 */
export type Posted = 'posted' | 'nothing caught' | 'later'

export async function postLine(client: Client, line: string): Promise<Posted> {
  const caught = parseChatLine(line)
  if (!caught) return 'nothing caught'
  try {
    if (caught.kind === 'fish') await client.fish.add(caught)
    else await client.crabs.add(caught)
    return 'posted'
  } catch (error) {
    if (error instanceof RateLimitError) return 'later'
    throw error
  }
}
