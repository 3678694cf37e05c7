#!/usr/bin/env node
// Plain JavaScript that an old Node can read too, so that it can say what is needed.
// NO_COLOR overrides FORCE_COLOR. Node warns if both are set, as soon as a module of its own looks at colours.
delete process.env[process.env.NO_COLOR ? 'FORCE_COLOR' : 'NO_COLOR']
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `fish-cli needs Node 22.19 or later; this is Node ${process.versions.node}.\n` +
      'Install a newer one from https://nodejs.org, or try: npx --package node@24 --package fish-cli fish-cli\n',
  )
  process.exitCode = 1
} else {
  const { existsSync } = require('node:fs')
  const { join } = require('node:path')
  const program = join(__dirname, '..', 'dist')
  if (!existsSync(program)) {
    // A checkout that was not built yet.
    require('./dev.js')
  } else {
    const { tryFastPath, filesBelow, cacheFolder } = require(join(program, 'fast-path.cjs'))
    if (!tryFastPath(process.argv.slice(2), filesBelow(join(__dirname, '..')))) {
      // What V8 made of the program is kept in a folder of this user: what others may write must not be run.
      const folder = cacheFolder(process.platform, process.env)
      if (folder) require('node:module').enableCompileCache(folder)
      require(join(program, 'main.cjs')).main()
    }
  }
}
