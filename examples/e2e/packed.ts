import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { EXAMPLES, PROJECT } from '../../scripts/test-support/language-tools.ts'
import { installPackages } from '../../scripts/test-support/packed.ts'

/** The packages that developers of mods and operators install. */
export const PACKAGES = ['sdk', 'server', 'mocks'] as const

/** A folder with the installed packed packages and copies of the examples. */
export interface Installation {
  readonly folder: string
  /** The content of each package's files, by file name within the package with forward slashes. */
  readonly files: Readonly<Record<(typeof PACKAGES)[number], ReadonlyMap<string, string>>>
  remove(): Promise<void>
}

/**
 * Packs the packages like `npm publish` and unpacks them like an installation. The folder is inside the project, so
 * that third-party dependencies resolve to the project's `node_modules` without a download.
 */
export async function installPacked(): Promise<Installation> {
  await mkdir(join(PROJECT, '.tmp'), { recursive: true })
  const folder = await mkdtemp(join(PROJECT, '.tmp', 'packed-'))
  await installPackages(PACKAGES, folder)
  const [sdk, server, mocks] = await Promise.all(
    PACKAGES.map((name) => readFiles(join(folder, 'node_modules/@fish-crab', name))),
  )
  const examples = ['announce-catches.ts', 'overlay.ts', 'post-catches.ts', 'print-collection.ts']
  for (const file of [...examples, 'hosts', 'mock-suite', 'package.json']) {
    await cp(join(EXAMPLES, file), join(folder, file), { recursive: true })
  }
  for (const file of ['serve.ts', 'serve-worker.ts']) await cp(join(EXAMPLES, 'e2e', file), join(folder, file))
  return {
    folder,
    files: { sdk: sdk ?? new Map(), server: server ?? new Map(), mocks: mocks ?? new Map() },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function readFiles(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names
    .filter((entry) => !entry.isDirectory())
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(folder.length + 1).replaceAll('\\', '/'), await readFile(path, 'utf8')] as const
    })
  return new Map(await Promise.all(files))
}
