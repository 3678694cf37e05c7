import type { PageData } from '../../../src/page-data.ts'

const ID = 'page-data'

/** Reads the data of the open page. @default none: the browser draws the page */
export function readPageData(): PageData | undefined {
  const text = document.getElementById(ID)?.textContent
  return text ? (JSON.parse(text) as PageData) : undefined
}
