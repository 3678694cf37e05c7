import { describe, expect, it } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { openAdministration } from './admin-page.ts'
import { ALEX, READ_TO_THE_END, startServer } from './pages.ts'
import { watchPage } from './watch-page.ts'

/** Removes the methods that Chromium 103 and Safari 16 lack from a newer browser. */
function becomeOlder(): void {
  const newer: readonly (readonly [object, readonly PropertyKey[]])[] = [
    [Array, ['fromAsync']],
    [Array.prototype, ['toReversed', 'toSorted', 'toSpliced', 'with']],
    [Object.getPrototypeOf(Uint8Array.prototype), ['toReversed', 'toSorted', 'with']],
    [Uint8Array, ['fromBase64', 'fromHex']],
    [Uint8Array.prototype, ['toBase64', 'toHex']],
    [Map, ['groupBy']],
    [Object, ['groupBy']],
    [Promise, ['try', 'withResolvers']],
    [String.prototype, ['isWellFormed', 'toWellFormed']],
    [Set.prototype, ['difference', 'intersection', 'isSubsetOf', 'isSupersetOf', 'symmetricDifference', 'union']],
    [
      Object.getPrototypeOf(Object.getPrototypeOf([].values())),
      ['drop', 'filter', 'flatMap', 'map', 'take', 'toArray'],
    ],
    [RegExp, ['escape']],
    [URL, ['canParse', 'parse']],
    [AbortSignal, ['any']],
    [Response, ['json']],
    [ReadableStream, ['from']],
    [ReadableStream.prototype, ['values', Symbol.asyncIterator]],
    [Element.prototype, ['checkVisibility', 'moveBefore', 'setHTMLUnsafe']],
  ]
  for (const [owner, names] of newer) for (const name of names) Reflect.deleteProperty(owner, name)
}

describe('the pages in older browsers', () => {
  it('need no method that Chromium 103 and Safari 16 lack', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url, admin } = await startServer({ FISH_PUBLIC_LEADERBOARD: '1' })
    await admin.users.create({ name: 'Ben' })
    const page = await browser.newPage()
    const { complaints } = watchPage(page, READ_TO_THE_END)
    await page.addInitScript(becomeOlder)
    for (const [path, ready] of [
      ['/', '.leaders'],
      [ALEX, '.history svg'],
      [`${ALEX}&view=table&sort=name`, '.species-table'],
      ['/demo', '.history svg'],
      ['/@Alex/vs/@Ben', '.versus-rows'],
      ['/leaderboard', '.leaders'],
      ['/overlay', '.scene .caught'],
      ['/overlay/Alex?gamemode=earth&show=total', '.all'],
    ] as const) {
      await page.goto(url + path)
      await page.locator(ready).first().waitFor()
      expect(await page.locator('.outdated').evaluate((sentence) => getComputedStyle(sentence).display)).toBe('none')
    }
    await openAdministration(page, url)
    await page.locator('.bars').first().waitFor()
    expect(complaints).toEqual([])
  })

  it('show a sentence that names the oldest browsers if a script cannot run', async ({ skip }) => {
    const browser = await startBrowser(skip)
    const { url } = await startServer()
    const page = await browser.newPage()
    await page.route('**/assets/*.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'not a script' }),
    )
    for (const path of ['/overlay', '/overlay/Alex', '/admin']) {
      await page.goto(url + path)
      await page.getByText('such as Chromium 103 or Safari 16').waitFor()
    }
  })
})
