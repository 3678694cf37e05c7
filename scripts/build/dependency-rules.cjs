/** The permitted imports (docs/CONTRIBUTING.md, "The map"). Imports go in one direction, without circles. */
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  // Every package may import sdk/src/internal, which the build bundles into the importing package.
  to: { path: '^(sdk|server|mocks|cli|examples)/', pathNot: [allowed, '^sdk/src/internal/'] },
})

/** Lets each folder of a package import only folders of lower levels. `order` starts with the lowest level. */
const levels = (root, order) =>
  order.slice(0, -1).flatMap((level, index) =>
    [level].flat().map((folder) => ({
      name: `${root}/${folder}-imports-lower-levels`,
      severity: 'error',
      from: { path: `^${root}/${folder}/` },
      to: {
        path: `^${root}/(${order
          .slice(index)
          .flat()
          .filter((one) => one !== folder)
          .join('|')})/`,
      },
    })),
  )

// Leaf files of the server that the mocks or the CLI bundle too.
const sharedLeaves =
  '^server/(src/(maintenance/core/vacuum|app/routes/page-headers|node/(discard-rest|shell-command)|storage/core/require-node)|web/src/(admin/data/local-address|parts/login-file|player-app/(api-types|log-name)))\\.ts$'

const portable = '^(sdk/src/|server/src/(app|storage)/)'
// Modules that only Node loads. Add storage drivers that import `node:` modules.
const nodeEdges = '(^server/src/storage/(index|file/.*|redis/connection)|^sdk/src/outbox/(store|file)|\\.node)\\.ts$'

// The folders of the CLI, lowest level first. All levels may also import package.ts, which reads the manifest.
const cliLevels = 'core|terminal|session|kit|commands|program'.split('|')
const cliRules = cliLevels.map((folder, level) =>
  only(
    `cli-${folder.replaceAll('|', '-')}-imports-lower-folders`,
    `^cli/src/(${folder})/`,
    `^(cli/src/package\\.ts|cli/src/${level === 0 ? '' : `(${cliLevels.slice(0, level).join('|')})/|cli/src/`}$1/|sdk/|mocks/|server/)`,
  ),
)

module.exports = {
  forbidden: [
    ...cliRules,
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only('shared-code-is-a-leaf', '^sdk/src/internal/', '^sdk/src/internal/'),
    {
      name: 'portable-code-has-no-shared-node-code',
      severity: 'error',
      from: { path: portable, pathNot: nodeEdges },
      to: { path: '^sdk/src/internal/.*\\.node\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    only('contract-imports-itself', '^sdk/src/contract/', '^sdk/src/contract/'),
    {
      name: 'contract-needs-only-zod',
      severity: 'error',
      from: { path: '^sdk/src/contract/' },
      to: { dependencyTypes: ['npm', 'core'], pathNot: '^node_modules/zod/' },
    },
    only('fernet-imports-itself-and-errors', '^sdk/src/fernet/', '^sdk/src/(fernet|errors)/'),
    only('chat-imports-the-contract', '^sdk/src/chat/', '^sdk/src/(chat|contract)/'),
    {
      name: 'chat-needs-no-schemas',
      severity: 'error',
      from: { path: '^sdk/src/chat/' },
      to: { path: '^node_modules/|^sdk/src/contract/schemas', dependencyTypesNot: ['type-only'] },
    },
    only('errors-import-the-contract', '^sdk/src/errors/', '^sdk/src/(errors|contract)/'),
    only('client-knows-no-other-entry', '^sdk/src/client/', '^sdk/src/(client|errors|contract|fernet)/'),
    only('client-core-is-a-leaf', '^sdk/src/client/core/', '^sdk/src/(client/core|errors|contract|fernet)/'),
    only('client-shapes-are-a-leaf', '^sdk/src/client/shapes/', '^sdk/src/(client/shapes|errors|contract)/'),
    only(
      'rate-limiter-is-below-the-transport',
      '^sdk/src/client/rate-limiter/',
      '^sdk/src/(client/(rate-limiter|core)|errors|contract)/',
    ),
    only(
      'transport-is-below-the-resources',
      '^sdk/src/client/transport/',
      '^sdk/src/(client/(transport|rate-limiter|shapes|core)|errors|contract)/',
    ),
    only(
      'resources-are-below-the-client',
      '^sdk/src/client/resources/',
      '^sdk/src/(client/(resources|transport|shapes|core)|errors|contract|fernet)/',
    ),
    only('admin-imports-no-other-entry', '^sdk/src/admin/', '^sdk/src/(admin|client|errors|contract)/'),
    only('outbox-imports-no-other-entry', '^sdk/src/outbox/', '^sdk/src/(outbox|client|errors|contract|fernet)/'),
    {
      name: 'sqlite-is-loaded-when-needed',
      severity: 'error',
      from: { path: '^sdk/src/outbox/', pathNot: '^sdk/src/outbox/store\\.ts' },
      to: { path: '^sdk/src/outbox/(store|file)\\.ts', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    only('sdk-imports-itself', '^sdk/src/', '^sdk/src/'),
    {
      // An older Node fails at this import before any code can report the required version: see storage/file/sqlite.ts.
      name: 'server-imports-no-sqlite-by-name',
      severity: 'error',
      from: { path: '^server/src/' },
      to: { path: '^(node:)?sqlite$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'shared-leaves-are-leaves',
      severity: 'error',
      from: { path: sharedLeaves },
      to: { path: '^(sdk|server|mocks|cli)/' },
    },
    only('storage-imports-itself', '^server/src/storage/', '^server/src/storage/'),
    // index.ts opens the drivers. A driver imports only itself and the shared code in core.
    only('storage-drivers-know-no-other', '^server/src/storage/([^/]+)/', '^server/src/storage/(core|$1)/'),
    only(
      'storage-suite-uses-the-entry',
      '^server/test/storage-suite/',
      '^server/(test/storage-suite/|src/storage/index)',
    ),
    ...levels('server/src/app', ['core', 'store', 'http', ['users', 'catches'], 'sharing', 'live', 'auth', 'routes']),
    {
      name: 'server/src/app-folders-are-below-create-app',
      severity: 'error',
      from: { path: '^server/src/app/[^/]+/' },
      to: { path: '^server/src/app/[^/]+\\.ts$' },
    },
    {
      name: 'maintenance-is-a-separate-entry',
      severity: 'error',
      from: { path: '^server/src/(?!maintenance/)' },
      to: { path: '^server/src/maintenance/' },
    },
    ...levels('server/src/maintenance', ['core', 'migration']),
    {
      name: 'server/src/maintenance-folders-are-below-its-functions',
      severity: 'error',
      from: { path: '^server/src/maintenance/[^/]+/' },
      to: { path: '^server/src/maintenance/[^/]+\\.ts$' },
    },
    only(
      'app-is-below-the-node-edge',
      '^server/src/app/',
      '^(server/src/(app/|drawings/|page-data\\.ts|storage/(core/|memory/memory\\.ts))|sdk/src/(contract/(index|openapi)|fernet/index)\\.ts)',
    ),
    only(
      'server-never-imports-the-client',
      '^server/src/',
      '^(server/src/|sdk/src/(contract/(index|openapi)|fernet/index|constants)\\.ts)',
    ),
    only('drawings-stand-alone', '^server/src/drawings/', '^(server/src/drawings/|sdk/src/(contract/|constants\\.ts))'),
    only(
      'pages-use-the-published-sdk',
      '^server/web/',
      '^(server/(web/|src/(drawings/|page-data\\.ts))|sdk/src/(index|constants|admin/index|internal/closest-word)\\.ts)',
    ),
    only(
      'mocks-mount-the-portable-app',
      '^mocks/src/',
      `^(mocks/src/|server/src/app/(index|internal)\\.ts|sdk/src/(contract|fernet)/index\\.ts)|${sharedLeaves}`,
    ),
    ...levels('mocks/src', ['service', 'faults', 'history', ['transports', 'control-api'], 'mock', 'standalone']),
    ...levels('mocks/src/conformance', ['context', 'checks', 'runner']),
    {
      name: 'conformance-shares-only-the-option-checks',
      severity: 'error',
      from: { path: '^mocks/src/conformance/' },
      to: { path: '^mocks/src/(?!conformance/|service/check-options)' },
    },
    {
      name: 'conformance-is-a-separate-entry',
      severity: 'error',
      from: { path: '^mocks/src/(?!conformance/)' },
      to: { path: '^mocks/src/conformance/' },
    },
    only(
      'cli-uses-published-entries',
      '^cli/src/',
      `^(cli/src/|sdk/src/(index|constants|(contract|fernet|chat|outbox|admin)/index)\\.ts|server/src/((app|maintenance)/)?index\\.ts|mocks/src/(index|(conformance|standalone)/index)\\.ts)|${sharedLeaves}`,
    ),
    {
      name: 'portable-code-has-no-node',
      comment:
        'It also runs in browsers. Code for Node only is listed in nodeEdges (scripts/build/dependency-rules.cjs).',
      severity: 'error',
      from: { path: portable, pathNot: nodeEdges },
      to: { dependencyTypes: ['core'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-declared-dependencies',
      severity: 'error',
      from: { path: '^(sdk|server|mocks|cli)/src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      // The build bundles the development dependencies of the CLI.
      name: 'only-installed-dependencies',
      severity: 'error',
      from: { path: '^(sdk|server|mocks)/src/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|test|e2e)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
