import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>
}

/**
 * Writes the licences of all bundled packages into the folder of the bundle, as the licences require. Then removes the
 * bundler's list of bundled files. Fails if a package has no licence.
 */
export function writeLicences(folder: string, format: 'cjs' | 'esm'): void {
  const list = join(folder, `metafile-${format}.json`)
  const { inputs } = JSON.parse(readFileSync(list, 'utf8')) as Metafile
  const roots = Object.keys(inputs).map((file) => /^(?:.*:)?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
  const packages = [...new Set(roots)].filter((root) => root !== undefined).toSorted()
  writeFileSync(join(folder, 'THIRD-PARTY-LICENCES.txt'), packages.map(licenceOf).join('\n\n'))
  rmSync(list)
}

function licenceOf(root: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const file = readdirSync(root).find((each) => /^(licen[cs]e|copying)(\.|-|$)/i.test(each))
  const text = file ? readFileSync(join(root, file), 'utf8') : (fromReadme(root) ?? standardText(license, name))
  if (text === undefined) throw new Error(`${name} has no licence that could be passed on.`)
  return `${name} ${version} (${license})\n\n${text.trim()}\n`
}

/** A few packages contain their licence only in their README. */
function fromReadme(root: string): string | undefined {
  const readme = join(root, 'README.md')
  return existsSync(readme) ? /^#+ licen[cs]e.*$[\s\S]*/im.exec(readFileSync(readme, 'utf8'))?.[0] : undefined
}

/** A few packages only name their licence. For MIT, this project's own copy provides the text. */
function standardText(license: string, name: string): string | undefined {
  if (license !== 'MIT') return undefined
  return readFileSync('LICENSE', 'utf8').replace(/^Copyright .*$/m, `Copyright (c) the authors of ${name}`)
}
