// Maps the Markdown files of the repository to pages of the documentation, and their links to links between pages.
import { existsSync, statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownOptions } from 'vitepress'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const REPOSITORY = 'https://github.com/fish-crab/fish-crab'

/** File of the repository to file of the site. Everything else in `docs` keeps its name. The first match counts. */
export const PAGES: Readonly<Record<string, string>> = {
  'docs/mocks.md': 'mocks-in-detail.md',
  'docs/:path(.*)': ':path',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security.md',
  'SUPPORT.md': 'support.md',
  'cli/README.md': 'cli.md',
  'cli/REFERENCE.md': 'reference/cli.md',
  'examples/README.md': 'examples.md',
  'mocks/README.md': 'mocks.md',
  'sdk/README.md': 'sdk.md',
  'server/README.md': 'server.md',
}

/** Markdown files that are not pages. The home page replaces the README of the root. */
export const SOURCES_LEFT_OUT = [
  'README.md',
  'CODE_OF_CONDUCT.md',
  '*/api/**',
  'data/**',
  '{sdk,server,mocks,cli,examples,scripts}/*/**',
]

/** The anchor of a heading on GitHub, which the links of the repository use. */
export function githubSlug(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

/** Rewrites links between files of the repository to links to their pages, or else to GitHub. */
export const repositoryLinks: NonNullable<MarkdownOptions['config']> = (markdown) => {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const links = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open')
    for (const link of links) link.attrSet('href', siteAddress(String(link.attrGet('href')), env.realPath ?? env.path))
  })
}

function siteAddress(href: string, page: string): string {
  const inRepository = new RegExp(`^${REPOSITORY}/(?:blob|tree)/main/`).exec(href)
  if (!inRepository && /^(\w+:|#|\/)/.test(href)) return href
  const [path = '', anchor] = (inRepository ? href.slice(inRepository[0].length) : href).split('#')
  const target = resolve(inRepository ? ROOT : dirname(page), path)
  const file = relative(ROOT, target)
  const suffix = anchor === undefined ? '' : `#${anchor}`
  if (file === 'README.md') return '/'
  const address = PAGES[file] ?? /^docs\/(.*\.md)$/.exec(file)?.[1]
  if (address !== undefined) return `/${address}${suffix}`
  if (!existsSync(target)) throw new Error(`${relative(ROOT, page)} links to ${href}, which does not exist.`)
  return `${REPOSITORY}/${statSync(target).isDirectory() ? 'tree' : 'blob'}/main/${file}${suffix}`
}
