/**
 * Copies a database in a process of its own. The function uses only what stands in it, because its text runs as a
 * program (`node -e`). It ignores SIGINT, because the parent process handles Ctrl-C. The exit status is the code of SQLite.
 */
export function vacuumInto([address = '', mode, copy = '']: readonly string[]): void {
  process.on('SIGINT', () => {})
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const db = new DatabaseSync(new URL(address), { readOnly: mode === 'ro', timeout: 5000 })
  try {
    db.prepare('VACUUM INTO ?').run(copy)
  } catch (error) {
    process.exitCode = (error as { readonly errcode: number }).errcode & 0xff
  }
}

/** The argument with which a single executable runs {@link vacuumInto}: there, `process.execPath` is the program. */
export const VACUUM_PART = '__vacuum'
