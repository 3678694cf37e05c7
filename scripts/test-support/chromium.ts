import type { BrowserContext, BrowserContextOptions } from 'playwright-core'
import { onTestFinished, type TestContext } from 'vitest'
import { launchChromium } from './launch-chromium.ts'

const MISSING = 'Chromium was not found: apt-get install chromium'

/**
 * Starts a headless Chromium for one test, and closes the browser after the test. The pages have no timeout of their
 * own, only the timeout of the test. Without Chromium, the test fails if `CI=true`, and is skipped with the reason
 * otherwise.
 * @param args further arguments of Chromium
 */
export async function startBrowser(
  skip: TestContext['skip'],
  options: BrowserContextOptions = {},
  args: readonly string[] = [],
): Promise<BrowserContext> {
  const browser = await launchChromium(args)
  if (!browser && process.env.CI === 'true') throw new Error(MISSING)
  if (!browser) return skip(MISSING)
  onTestFinished(() => browser.close())
  const context = await browser.newContext(options)
  context.setDefaultTimeout(0)
  return context
}
