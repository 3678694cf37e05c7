import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, normalize } from 'node:path'
import { defineConfig, type Options } from 'tsup'
import { writeLicences } from './scripts/build/write-licences.ts'

interface Manifest {
  readonly dependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
  readonly optionalDependencies?: Record<string, string>
}

type Entries = Readonly<Record<string, string>>

/** What a package brings from elsewhere, also where it can do without. */
function dependenciesOf(folder: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest
  return Object.keys({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  })
}

const sourcesOf = (folder: string, files: Entries) =>
  Object.fromEntries(Object.entries(files).map(([name, file]) => [name, `${folder}/src/${file}`]))

/** The path of the declarations of a source file. */
const declarationOf = (source: string) => `scripts/build/dist/${normalize(source).replace(/\.ts$/, '.d.ts')}`

/** The source file of each module of this project that is imported by name. */
const { paths: SOURCES } = JSON.parse(readFileSync('tsconfig.json', 'utf8')).compilerOptions as {
  readonly paths: Readonly<Record<string, readonly [string]>>
}

/** Bundles the declarations that `npm run build` has just let the compiler write for each file, one per entry. */
const declarationsOf = (folder: string, entries: Entries): NonNullable<Options['dts']> => ({
  entry: Object.fromEntries(
    Object.entries(entries).map(([name, file]) => [name, declarationOf(`${folder}/src/${file}`)]),
  ),
  compilerOptions: {
    ignoreDeprecations: '6.0',
    paths: Object.fromEntries(
      Object.entries(SOURCES).map(([name, [source]]) => [name, [`./${declarationOf(source)}`]]),
    ),
  },
})

/**
 * The build of one package: `entries` are public and get declarations, `parts` are files that only the package itself
 * loads, by condition or as a worker. Dependencies stay imports, and so does what the `imports` field of a package
 * chooses (`#…`): no class and no platform is bundled twice.
 */
function build(folder: string, entries: Entries, parts: Entries = {}, options: Options = {}): Options {
  const dependencies = dependenciesOf(folder)
  return {
    name: folder,
    entry: sourcesOf(folder, { ...entries, ...parts }),
    outDir: `${folder}/dist`,
    format: ['esm'],
    target: 'node22',
    platform: 'neutral',
    splitting: true,
    sourcemap: true,
    clean: true,
    external: [/^node:/, /^#/, ...dependencies.map((name) => new RegExp(`^${name}(/|$)`))],
    dts: declarationsOf(folder, entries),
    removeNodeProtocol: false,
    silent: true,
    esbuildOptions(build) {
      // All supported runtimes have Unicode property escapes. Without this line, esbuild would write longer code.
      build.supported = { 'regexp-unicode-property-escapes': true }
    },
    ...options,
  }
}

/**
 * The program of the CLI: CommonJS, one file for each entry, which Node starts sooner than modules, with everything in
 * it except the services. Dynamic imports stay lazy although they are bundled. Dependencies stay imports. Do not list
 * modules of Node as `external`: the bundle would load them at startup.
 */
function program(folder: string, entries: Entries): Options {
  return {
    name: `${folder} program`,
    entry: sourcesOf(folder, entries),
    outDir: `${folder}/dist`,
    format: ['cjs'],
    outExtension: () => ({ js: '.cjs' }),
    target: 'node22',
    platform: 'node',
    splitting: false,
    shims: true,
    minifySyntax: true,
    minifyWhitespace: true,
    // oclif requires TypeScript only to run plugins from their sources.
    external: ['typescript', ...dependenciesOf(folder).map((name) => new RegExp(`^${name}(/|$)`))],
    removeNodeProtocol: false,
    silent: true,
    esbuildPlugins: [importServices()],
    plugins: [escapeRegularExpressions()],
    metafile: true,
    async onSuccess() {
      writeLicences(`${folder}/dist`, 'cjs')
      execFileSync(process.execPath, [`${folder}/build/write-pages.ts`], { stdio: 'inherit' })
    },
  }
}

/**
 * Escapes the characters of regular expressions that are not ASCII. The bundler escapes all others. Node reads a file
 * of ASCII in half the time.
 */
function escapeRegularExpressions(): NonNullable<Options['plugins']>[number] {
  const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return {
    name: 'escape-regular-expressions',
    renderChunk: (code) => ({ code: code.replace(/[^\0-\x7f]/g, toEscape) }),
  }
}

/** The modules of other packages that the CLI runs. Each key is the name of the output file. */
const SERVICES = {
  server: '@fish-crab/server',
  maintenance: '@fish-crab/server/maintenance',
  mocks: '@fish-crab/mocks',
  standalone: '@fish-crab/mocks/standalone',
  conformance: '@fish-crab/mocks/conformance',
}

/** Lets the program of the CLI import the services from their files. */
function importServices(): NonNullable<Options['esbuildPlugins']>[number] {
  return {
    name: 'services',
    setup(build) {
      for (const [file, name] of Object.entries(SERVICES)) {
        build.onResolve({ filter: new RegExp(`^${name}$`) }, () => {
          return { path: `./services/${file}.js`, external: true }
        })
      }
    },
  }
}

/**
 * The services of the CLI with all their code, so that an installation needs no other package of this project. They are
 * ES modules, because the server finds its workers and pages with `import.meta.url`.
 */
function services(folder: string): Options {
  return {
    name: `${folder} services`,
    entry: {
      ...Object.fromEntries(Object.entries(SERVICES).map(([file, name]) => [file, SOURCES[name]?.[0] ?? name])),
      ...sourcesOf('server', SERVER_WORKERS),
    },
    outDir: `${folder}/dist/services`,
    format: ['esm'],
    target: 'node22',
    platform: 'node',
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    external: dependenciesOf(folder).map((name) => new RegExp(`^${name}(/|$)`)),
    // Some dependencies are CommonJS and require modules of Node.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    removeNodeProtocol: false,
    silent: true,
    clean: true,
    metafile: true,
    async onSuccess() {
      writeLicences(`${folder}/dist/services`, 'esm')
    },
  }
}

/**
 * Entries that stand alone, for programs that are started often: one file each, with everything in it, is there in half
 * the time that Node takes to look for the files of ten packages. It is left readable: smaller code starts no sooner.
 * Their declarations are made with those of the package's other entries. Modules of Node are not named as `external`:
 * then those would be loaded too of which nothing is used.
 */
function standalone(folder: string, entries: Entries): Options {
  return {
    name: `${folder} standalone`,
    entry: sourcesOf(folder, entries),
    outDir: `${folder}/dist`,
    format: ['esm'],
    target: 'node22',
    platform: 'node',
    splitting: false,
    removeNodeProtocol: false,
    silent: true,
    metafile: true,
    async onSuccess() {
      writeLicences(`${folder}/dist`, 'esm')
    },
  }
}

/**
 * Lays what the reference page needs into the build: our files, and those of Swagger UI with their licence. As a
 * dependency the package would bring ten times as much to everyone who installs the server, and a script that reports
 * each install to its makers.
 */
async function copyReference(): Promise<void> {
  const from = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  await mkdir('server/dist/docs', { recursive: true })
  for (const name of ['swagger-ui-bundle.js', 'LICENSE', 'NOTICE']) {
    await copyFile(`${from}/${name}`, `server/dist/docs/${name}`)
  }
  await cp('server/src/node/reference', 'server/dist/docs', { recursive: true })
  await copyFile('server/web/src/icon.svg', 'server/dist/docs/icon.svg')
  // The source maps stay behind, so nothing may point to them.
  const style = await readFile(`${from}/swagger-ui.css`, 'utf8')
  await writeFile('server/dist/docs/swagger-ui.css', style.replace(/\/\*# sourceMappingURL=.*?\*\//g, ''))
}

/** Lays the fonts of cards into the build, with their licence (SIL Open Font License 1.1). */
async function copyFonts(): Promise<void> {
  const from = dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/manrope/package.json'))
  await mkdir('server/dist/fonts', { recursive: true })
  for (const style of ['600SemiBold', '800ExtraBold']) {
    await copyFile(`${from}/${style}/Manrope_${style}.ttf`, `server/dist/fonts/Manrope_${style}.ttf`)
  }
  await copyFile(`${from}/LICENSE_FONT`, 'server/dist/fonts/THIRD-PARTY-LICENCES.txt')
}

/** The bundler's maps of CommonJS name files by where they were built, and lead to no source. */
async function dropCommonJsMaps(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = `${folder}/${name}`
    if (name.endsWith('.cjs.map')) await rm(file)
    if (!name.endsWith('.cjs')) continue
    await writeFile(file, (await readFile(file, 'utf8')).replace(/^\/\/# sourceMappingURL=.*\n?/gm, ''))
  }
}

const SERVER_WORKERS: Entries = {
  'file-worker': 'storage/file/worker.ts',
  'bcrypt-worker': 'node/bcrypt-worker.ts',
  'card-worker': 'node/card-worker.ts',
}
/** The cryptography of the SDK, for packages that bundle the SDK. */
const FERNET_KEYS: Entries = {
  'fernet-key.node': '../../sdk/src/fernet/key.node.ts',
  'fernet-key.web': '../../sdk/src/fernet/key.web.ts',
}
const MOCKS: Entries = {
  index: 'index.ts',
  conformance: 'conformance/index.ts',
}
const MOCKS_ALONE: Entries = { standalone: 'standalone/index.ts' }

export default defineConfig([
  build(
    'sdk',
    {
      index: 'index.ts',
      constants: 'constants.ts',
      contract: 'contract/index.ts',
      openapi: 'contract/openapi.ts',
      fernet: 'fernet/index.ts',
      chat: 'chat/index.ts',
      admin: 'admin/index.ts',
      outbox: 'outbox/index.ts',
    },
    {
      'fernet-key.node': 'fernet/key.node.ts',
      'fernet-key.web': 'fernet/key.web.ts',
      'load-on-demand.node': 'client/resources/load-on-demand.node.ts',
      'load-on-demand.default': 'client/resources/load-on-demand.default.ts',
      'platform.node': 'client/transport/platform.node.ts',
      'platform.default': 'client/transport/platform.default.ts',
      // A file of its own, so that a page that imports an error class loads no client.
      'api-errors': 'errors/api-errors.ts',
    },
    { format: ['esm', 'cjs'], onSuccess: () => dropCommonJsMaps('sdk/dist') },
  ),
  build(
    'server',
    {
      index: 'index.ts',
      app: 'app/index.ts',
      maintenance: 'maintenance/index.ts',
      storage: 'storage/index.ts',
      'storage-conformance': '../test/storage-suite/index.ts',
    },
    { ...FERNET_KEYS, ...SERVER_WORKERS },
    {
      async onSuccess() {
        await copyReference()
        await copyFonts()
      },
    },
  ),
  build(
    'mocks',
    MOCKS,
    {
      'node-transports': 'mock/node-transports.ts',
      'node-transports.default': 'mock/node-transports.default.ts',
      ...FERNET_KEYS,
    },
    {
      dts: declarationsOf('mocks', { ...MOCKS, ...MOCKS_ALONE }),
      clean: ['!standalone.js', '!THIRD-PARTY-LICENCES.txt', '!metafile-esm.json'],
    },
  ),
  standalone('mocks', MOCKS_ALONE),
  // The schema of failures. The program itself is one file, made for a quick start.
  build(
    'cli',
    { index: 'index.ts' },
    {},
    {
      sourcemap: false,
      clean: [
        '!*.cjs',
        '!help/**',
        '!services/**',
        '!completion.json',
        '!THIRD-PARTY-LICENCES.txt',
        '!metafile-cjs.json',
      ],
    },
  ),
  program('cli', {
    main: 'program/main.ts',
    'fast-path': 'program/fast-path.ts',
    completion: 'program/completion.ts',
    executable: 'program/executable.ts',
  }),
  services('cli'),
])
