import type { Page } from 'playwright-core'

/** Serves the pages of players as above the rate limit, so that the browser draws them. */
export async function leaveUndrawn(page: Page): Promise<void> {
  await page.route('**/@*', async (route) => {
    const response = await route.fetch()
    const html = await response.text()
    const body = html.replace(/<script type="application\/json".*?<\/script>/s, '')
    await route.fulfill({ response, body: body.replace(/<div id="app">.*<\/div>/s, '<div id="app"></div>') })
  })
}
