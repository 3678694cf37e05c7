#!/usr/bin/env node
// Plain JavaScript that an old Node can read too, so that it can say what is needed.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `fish-cli needs Node 22.19 or later; this is Node ${process.versions.node}.\n` +
      'Install a newer one from https://nodejs.org, or try: npx --package node@24 --package fish-cli fish-cli\n',
  )
  process.exitCode = 1
} else {
  const { main } = await import('../dist/main.js')
  await main()
}
