/** The part of a mod that is tested here: posts what a line of the game's chat says was caught. */
import { type Client, RateLimitError } from '@fish-crab/sdk'
import { parseChatLine } from '@fish-crab/sdk/chat'

/** What became of a line. `later`: nothing was stored, show it to the player and post it again. */
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
