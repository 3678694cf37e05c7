import { execFileSync } from 'node:child_process'
import { type BrowserContext, chromium } from 'playwright-core'
import { onTestFinished, type TestContext } from 'vitest'

const MISSING = 'Chromium was not found: apt-get install chromium'

/**
 * A headless Chromium for one test, closed behind it; what its pages wait for ends with the test's own time. Without
 * Chromium the test fails where `CI=true`, and is skipped with the reason elsewhere.
 */
export async function startBrowser(skip: TestContext['skip']): Promise<BrowserContext> {
  const executablePath = chromiumPath()
  if (!executablePath && process.env.CI === 'true') throw new Error(MISSING)
  if (!executablePath) return skip(MISSING)
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
  onTestFinished(() => browser.close())
  const context = await browser.newContext()
  context.setDefaultTimeout(0)
  return context
}

function chromiumPath(): string | undefined {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    try {
      return execFileSync('which', [name], { encoding: 'utf8' }).trim()
    } catch {
      // The next name is tried.
    }
  }
  return undefined
}
