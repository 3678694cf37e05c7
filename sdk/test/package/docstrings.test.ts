import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkExamples, examplesIn, publicNames, readProject } from './docstrings.ts'

/** Declarations of the names that examples use without an import. */
const GLOBALS = `
declare const client: import('@fish-crab/sdk').Client
declare const admin: import('@fish-crab/sdk/admin').AdminClient
declare const outbox: import('@fish-crab/sdk/outbox').Outbox
declare const encrypted: import('@fish-crab/sdk').EncryptedCatches
declare const error: unknown
declare const key: string, oldKey: string, newKey: string, fernetKey: string
declare const password: string, token: string, line: string, text: string, id: string
declare const fernet: import('@fish-crab/sdk/fernet').Fernet
declare function showStatus(text: string): void
declare function showNextTry(at: Date): void
declare function askForNewToken(): void
declare const logger: import('@fish-crab/server/app').Logger
declare const secrets: import('@fish-crab/server/app').AppSecrets
declare const passwords: import('@fish-crab/server/app').PasswordHasher
declare const createMemoryStorage: typeof import('@fish-crab/server/app').createMemoryStorage
declare const itemKey: typeof import('@fish-crab/server/storage').itemKey
declare const myDriver: () => import('@fish-crab/server/storage').StorageDriver
declare const readConfig: typeof import('@fish-crab/server').readConfig
declare const setupServer: typeof import('msw/node').setupServer
declare const mock: import('@fish-crab/mocks').Mock
declare const createMock: typeof import('@fish-crab/mocks').createMock
declare const expect: typeof import('vitest').expect
declare const readFile: typeof import('node:fs/promises').readFile
declare const handle: Parameters<typeof import('../../../mocks/src/transports/http.ts').serveHttp>[0]['handle']
declare const controlled: Parameters<typeof import('../../../mocks/src/control-api/control-api.ts').createControlApi>[0]
`

const project = readProject()
const names = publicNames(project)

describe('the docstrings', () => {
  test('describe every public name', () => {
    const silent = names.filter(({ doc }) => doc.length < 10)
    expect(names.length).toBeGreaterThan(100)
    expect(silent.map(({ name, entry }) => `${entry} ${name}`)).toEqual([])
  })

  test('show every public function in an example', () => {
    const unshown = names.filter(({ isFunction, hasExample }) => isFunction && !hasExample)
    expect(unshown.map(({ name, entry }) => `${entry} ${name}`)).toEqual([])
  })

  test('contain only examples that compile', () => {
    const root = fileURLToPath(new URL('../../..', import.meta.url))
    const files = globSync('{sdk,server,mocks}/src/**/*.ts', { cwd: root }).map((file) => root + file)
    const examples = examplesIn(files)
    expect(examples.length).toBeGreaterThan(50)
    const unparsable = examples.filter(({ code }) => /\busing \w+ =/.test(code))
    expect(unparsable.map(({ file, line }) => `${file}:${line} needs Node 24`)).toEqual([])
    const values = new Map(names.filter(({ isType }) => !isType).map(({ name, entry }) => [name, entry]))
    const imported = [...values].map(([name, entry]) => `declare const ${name}: typeof import('${entry}').${name}\n`)
    expect(checkExamples(project, examples, GLOBALS + imported.join(''))).toEqual([])
  })
})
