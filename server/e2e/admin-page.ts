import type { Page } from 'playwright-core'
import { ADMIN } from './pages.ts'

/** Opens a view of the administrators' page, and logs in. */
export async function openAdministration(
  page: Page,
  url: string,
  fragment = '#overview',
  { username, password }: { readonly username: string; readonly password: string } = ADMIN,
): Promise<void> {
  await page.goto(`${url}/admin${fragment}`)
  await page.getByLabel('Name').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}
