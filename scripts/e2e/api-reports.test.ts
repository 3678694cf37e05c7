import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import { expect, test } from 'vitest'
import { PROJECT } from '../test-support/language-tools.ts'

const NOT_REPORTED = { default: { logLevel: ExtractorLogLevel.None } }

const ENTRIES = ['sdk', 'server', 'mocks', 'cli'].flatMap((name) => {
  const { exports } = JSON.parse(readFileSync(join(PROJECT, name, 'package.json'), 'utf8')) as { exports: object }
  const entries = Object.keys(exports).filter((entry) => entry !== './package.json')
  return entries.map((entry) => [name, entry === '.' ? 'index' : entry.slice(2).replaceAll('/', '-')] as const)
})

test.each(ENTRIES)('the public types of the package %s, entry %s, match its API report', async (name, entry) => {
  const folder = await mkdtemp(join(tmpdir(), 'fish-crab-api-'))
  try {
    await expect(await reportOf(name, entry, folder)).toMatchFileSnapshot(join(PROJECT, name, `api/${entry}.api.md`))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

function reportOf(name: string, entry: string, folder: string): Promise<string> {
  const declarations = join(PROJECT, name, `dist/${entry}.d.ts`)
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: join(PROJECT, name),
      mainEntryPointFilePath: declarations,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'ES2022',
            lib: ['ES2023', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'],
            module: 'NodeNext',
            strict: true,
            types: ['node'],
            skipLibCheck: true,
          },
          files: [declarations],
        },
      },
      apiReport: {
        enabled: true,
        includeForgottenExports: true,
        reportFileName: entry,
        reportFolder: folder,
        reportTempFolder: folder,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      // Messages are turned off, because the project's compiler and linter report the same problems.
      messages: {
        compilerMessageReporting: NOT_REPORTED,
        extractorMessageReporting: NOT_REPORTED,
        tsdocMessageReporting: NOT_REPORTED,
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(PROJECT, name, 'package.json'),
  })
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => Object.assign(message, { handled: true }),
  })
  return readFile(join(folder, `${entry}.api.md`), 'utf8')
}
