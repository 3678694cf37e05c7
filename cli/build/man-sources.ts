import { readManifest } from '../src/package.ts'
import { commandPages, topicPages } from './command-pages.ts'
import type { ManSources } from './man-pages.ts'

/** What manual pages are made from: the commands, and the manifest of the package. */
export async function readManSources(): Promise<ManSources> {
  const { version, description = '' } = readManifest()
  return { pages: await commandPages(), topics: topicPages(), version, description }
}
