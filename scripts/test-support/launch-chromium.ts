import { execFileSync } from 'node:child_process'
import { type Browser, chromium } from 'playwright-core'

/**
 * Starts a headless Chromium. Returns `undefined` if Chromium is not installed.
 * @param args further arguments of Chromium
 */
export async function launchChromium(args: readonly string[] = []): Promise<Browser | undefined> {
  const executablePath = chromiumPath()
  if (executablePath === undefined) return undefined
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync', ...args],
  })
}

function chromiumPath(): string | undefined {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    try {
      return execFileSync('which', [name], { encoding: 'utf8' }).trim()
    } catch {
      // No program has this name, so try the next name.
    }
  }
  return undefined
}
