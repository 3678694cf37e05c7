import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Returns the findings of the accessibility checker axe on the current page. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run()
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    )
  })
}

/** Presses Tab until an element with a matching name has the focus. */
export async function tabTo(page: Page, name: RegExp, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    const focused = await page.evaluate(() => {
      const { activeElement } = document
      const label = (activeElement as HTMLInputElement | null)?.labels?.[0]
      return label?.textContent ?? activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? ''
    })
    if (name.test(focused)) return
    await page.keyboard.press(key)
  }
  throw new Error(`Tab does not lead to ${name}.`)
}
