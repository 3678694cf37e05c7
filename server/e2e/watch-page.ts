import type { Page } from 'playwright-core'

/**
 * Everything that a page asked for, and everything it complained about, such as a violation of its policy.
 * @param ignored complaints that are none
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
