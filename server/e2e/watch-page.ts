import type { Page } from 'playwright-core'

/**
 * Collects the requests of a page, and complaints: failed requests, exceptions, and errors and warnings in the console.
 * @param ignored matches complaints to ignore
 */
export function watchPage(page: Page, ignored?: RegExp) {
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  const complain = (text: string) => {
    if (!ignored?.test(text)) complaints.push(text)
  }
  page.on('requestfailed', (request) => complain(`${request.url()} ${request.failure()?.errorText}`))
  page.on('pageerror', (error) => complain(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complain(message.text())
  })
  return { requests, complaints }
}

/** Names that are harmful if a page uses text as markup, code or a property name. */
export const HOSTILE = [
  '<img src=x onerror=attack()>',
  '<script>attack()</script>',
  '"><svg onload=attack()>',
  "'-attack()-'",
  '</title><script>attack()</script>',
  'javascript:attack()',
  '{{title}}',
  '&lt;b&gt;',
  '\u202eevil\u202c',
  '__proto__',
  'constructor',
  'é'.repeat(100),
]

/** Records executed attacks, dialogs, and violations of the content security policy. */
export async function watchAttacks(page: Page): Promise<() => Promise<readonly unknown[]>> {
  const seen: unknown[] = []
  page.on('dialog', (dialog) => {
    seen.push(dialog.message())
    void dialog.dismiss()
  })
  await page.exposeFunction('attack', () => seen.push('attack'))
  await page.addInitScript(() => {
    const violations: string[] = []
    Object.assign(globalThis, { violations })
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective))
  })
  return async () => [...seen, ...(await page.evaluate(() => (globalThis as unknown as { violations: [] }).violations))]
}
