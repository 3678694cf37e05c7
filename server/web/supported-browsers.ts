import bcd from '@mdn/browser-compat-data' with { type: 'json' }
import type { CompatStatement, Identifier } from '@mdn/browser-compat-data'
import type { Plugin } from 'vite'

/** The oldest browsers that can show the pages. OBS Studio 30 contains Chromium 103. */
const OLDEST = { chrome: 103, safari: 16 } as const

/** The oldest browsers in the notation of Vite. */
export const TARGET = Object.entries(OLDEST).map(([browser, version]) => `${browser}${version}`)

/**
 * Names that the oldest browsers may lack: the pages are complete without these features or check for them first.
 * `drop` and `move` are methods of the SDK.
 */
const OPTIONAL: ReadonlySet<string> = new Set([
  'accent-color',
  'drop',
  'forced-color-adjust',
  'hyphens',
  'move',
  'moveBefore',
  'outline',
  'scrollbar-width',
  'text-wrap',
])

/**
 * The interfaces whose methods are checked. Other interfaces have methods, such as `watch`, whose names this project also
 * uses.
 */
const INTERFACES = ['Document', 'Element', 'HTMLElement', 'Node', 'Response', 'Window'] as const

/** The compatibility data lists groups of units, so these patterns check single units and ranges. */
const UNITS = /\d(?:[sld]v|cq)(?:h|w|i|b|min|max)\b/g
const RANGES = /@(?:media|container)[^{]*[<>][^{]*/g

function isSupported({ support }: CompatStatement): boolean {
  return Object.entries(OLDEST).every(([browser, oldest]) =>
    [support[browser as keyof typeof OLDEST] ?? []].flat().some(({ version_added: added, version_removed, flags }) => {
      const version = typeof added === 'string' ? Number.parseFloat(added.replace('≤', '')) : Number.NaN
      return version <= oldest && version_removed === undefined && flags === undefined
    }),
  )
}

/** Maps each name to whether the oldest browsers have at least one feature of this name. */
function namesIn(data: Identifier, depth: number, names = new Map<string, boolean>()): ReadonlyMap<string, boolean> {
  for (const [key, feature] of Object.entries(data) as [string, Identifier][]) {
    if (key === '__compat') continue
    const name = key.replace(/_static$/, '')
    if (feature.__compat) names.set(name, names.get(name) === true || isSupported(feature.__compat))
    if (depth > 1) namesIn(feature, depth - 1, names)
  }
  return names
}

/** Lists the names in a built file that the oldest browsers lack. */
function unsupportedNames(file: string, content: string): string[] {
  const missing = (names: ReadonlyMap<string, boolean>, pattern: RegExp) =>
    [...content.matchAll(pattern)].flatMap(([, name = '']) =>
      names.get(name) === false && !OPTIONAL.has(name) ? [name] : [],
    )
  if (file.endsWith('.css')) {
    return [
      ...missing(namesIn(bcd.css.properties ?? {}, 1), /[{;]([a-z-]+):/g),
      ...missing(namesIn({ ...bcd.css.types, ...bcd.css.selectors }, 3), /([a-z-]+)\(/g),
      ...(content.match(UNITS) ?? []),
      ...(content.match(RANGES) ?? []),
    ]
  }
  if (!file.endsWith('.js')) return []
  const { builtins } = bcd.javascript
  const statics = [...content.matchAll(/\b([A-Z]\w+)\.(\w+)/g)].flatMap(([text, owner = '', member = '']) => {
    const known = namesIn({ ...(bcd.api[owner] ?? builtins?.[owner]) } as Identifier, 1)
    return known.get(member) === false ? [text] : []
  })
  const interfaces = Object.fromEntries(INTERFACES.map((name) => [name, bcd.api[name]]))
  return [...statics, ...missing(namesIn({ ...interfaces, ...builtins } as Identifier, 2), /\.(\w+)\(/g)]
}

const OUTDATED = `If nothing appears here, update your browser. This page needs a browser of 2022 or later, such as
Chromium ${OLDEST.chrome} or Safari ${OLDEST.safari}.`

/**
 * Fails the build if a page uses a feature that the oldest browsers lack, because the compiler lowers only syntax. Even
 * older browsers show a sentence instead of a blank page.
 */
export function supportedBrowsers(): Plugin {
  return {
    name: 'supported-browsers',
    enforce: 'post',
    transformIndexHtml: (html) =>
      html.replace(/<div id="app"><\/div>|<!--\{\{app\}\}-->/, `$&<p class="outdated">${OUTDATED}</p>`),
    generateBundle(_options, bundle) {
      const missing = Object.values(bundle).flatMap((file) => {
        const content = file.type === 'chunk' ? file.code : String(file.source)
        const names = new Set(unsupportedNames(file.fileName, content))
        return [...names].map((name) => `${file.fileName}: ${name}`)
      })
      if (missing.length > 0) {
        this.error(`${TARGET.join(' and ')} do not have these features:\n${missing.join('\n')}`)
      }
    },
  }
}
