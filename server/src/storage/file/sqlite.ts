import type * as Sqlite from 'node:sqlite'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  throw new Error(
    `@fish-crab/server needs Node 22.19 or later; this is Node ${process.versions.node}. ` +
      'Install a newer one from https://nodejs.org.',
  )
}

// No import: an older Node fails on that before any code could say what is needed.
const sqlite = process.getBuiltinModule('node:sqlite')

/** As in `node:sqlite`. */
export const DatabaseSync: typeof Sqlite.DatabaseSync = sqlite.DatabaseSync
export type DatabaseSync = Sqlite.DatabaseSync
