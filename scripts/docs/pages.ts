// Maps the Markdown files of the repository to pages of the documentation, and rewrites links between files to links
// between pages.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownOptions } from 'vitepress'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The folder of the site for other files of the repository to which pages link, such as examples. */
const SOURCES = 'reference/files'

/**
 * Maps files of the repository to files of the site. Other files in `docs` keep their names. The first match counts.
 */
export const PAGES: Readonly<Record<string, string>> = {
  'docs/mocks.md': 'mocks-in-detail.md',
  'docs/CODE_OF_CONDUCT.md': 'code-of-conduct.md',
  'docs/CONTRIBUTING.md': 'contributing.md',
  'docs/SECURITY.md': 'security.md',
  'docs/SUPPORT.md': 'support.md',
  'docs/:path(.*)': ':path',
  'CHANGELOG.md': 'changelog.md',
  'cli/README.md': 'cli.md',
  'cli/REFERENCE.md': 'reference/cli.md',
  'examples/README.md': 'examples.md',
  'mocks/README.md': 'mocks.md',
  'sdk/README.md': 'sdk.md',
  'server/README.md': 'server.md',
}

/** Markdown files that are not pages. The home page replaces the main README. */
export const SOURCES_LEFT_OUT = ['README.md', '*/api/**', 'data/**', '{sdk,server,mocks,cli,examples,scripts}/*/**']

/** Returns the anchor that GitHub generates for a heading. Links in the repository use these anchors. */
export function githubSlug(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

/** Rewrites links between files of the repository to links between pages. */
export const repositoryLinks: NonNullable<MarkdownOptions['config']> = (markdown) => {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const links = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open')
    for (const link of links) link.attrSet('href', siteAddress(String(link.attrGet('href')), env.realPath ?? env.path))
  })
}

function siteAddress(href: string, page: string): string {
  if (isAddress(href)) return href
  const [path = '', anchor] = href.split('#')
  const file = relative(ROOT, resolve(dirname(page), path))
  const suffix = anchor === undefined ? '' : `#${anchor}`
  if (file === 'README.md') return '/'
  const address = PAGES[file] ?? /^docs\/(.*\.md)$/.exec(file)?.[1] ?? `${SOURCES}/${file}.md`
  return `/${address}${suffix}`
}

/** Whether a link points to an address or a heading, and not to a file of the repository. */
const isAddress = (href: string) => /^(\w+:|#|\/)/.test(href)

/** Creates a page for each file of the repository to which a page links, such as an example. */
export function sourcePages(): readonly { readonly path: string; readonly content: string }[] {
  const sources = new Set(pageFiles().flatMap(linkedFiles))
  return [...sources].map((file) => {
    const code = `\`\`\`\`${extname(file).slice(1)}\n${readFileSync(join(ROOT, file), 'utf8')}\`\`\`\``
    return { path: `${SOURCES}/${file}.md`, content: `---\nsearch: false\n---\n\n# ${file}\n\n${code}\n` }
  })
}

function pageFiles(): readonly string[] {
  const docs = readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)
  return [...docs, ...Object.keys(PAGES)].filter((file) => /^[\w/-]+\.md$/.test(file))
}

function linkedFiles(page: string): readonly string[] {
  const links = readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\(([^)#\s]+)/g)
  return Array.from(links, ([, href = '']) => href)
    .filter((href) => !isAddress(href))
    .map((href) => relative(ROOT, resolve(ROOT, dirname(page), href)))
    .filter((file) => !/\.(md|png|svg)$/.test(file) && statSync(join(ROOT, file)).isFile())
}
