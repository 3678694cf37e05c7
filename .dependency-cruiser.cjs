/** Who may import whom (CONTRIBUTING, "Where things go"). Arrows point one way; nothing imports in circles. */
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: '^(sdk|server|mocks|cli|examples)/', pathNot: allowed },
})

const portable = '^(sdk/src/(contract|fernet)/|server/src/(app|storage)/)'
const nodeEdges = '(^server/src/storage/(index|file/.*)|\\.node)\\.ts$'

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only('contract-imports-itself', '^sdk/src/contract/', '^sdk/src/contract/'),
    {
      name: 'contract-needs-only-zod',
      severity: 'error',
      from: { path: '^sdk/src/contract/' },
      to: { dependencyTypes: ['npm', 'core'], pathNot: '^node_modules/zod/' },
    },
    only('fernet-imports-itself', '^sdk/src/fernet/', '^sdk/src/fernet/'),
    only('sdk-imports-itself', '^sdk/src/', '^sdk/src/'),
    only('storage-imports-itself', '^server/src/storage/', '^server/src/storage/'),
    only(
      'app-is-below-the-node-edge',
      '^server/src/app/',
      '^(server/src/(app/|storage/(types|keys|errors|memory)\\.ts)|sdk/src/(contract|fernet)/index\\.ts)',
    ),
    only('server-never-imports-the-client', '^server/src/', '^(server/src/|sdk/src/(contract|fernet)/index\\.ts)'),
    only(
      'mocks-mount-the-portable-app',
      '^mocks/src/',
      '^(mocks/src/|server/src/app/index\\.ts|sdk/src/(contract|fernet)/index\\.ts)',
    ),
    only(
      'cli-uses-published-entries',
      '^cli/src/',
      '^(cli/src/|sdk/src/(index|contract/index|fernet/index|admin/index)\\.ts|server/src/(node|app)/index\\.ts|mocks/src/index\\.ts)',
    ),
    {
      name: 'portable-code-has-no-node',
      severity: 'error',
      from: { path: portable, pathNot: nodeEdges },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'only-declared-dependencies',
      severity: 'error',
      from: { path: '^(sdk|server|mocks|cli)/src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
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
