import { execFile } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { run, serviceContext } from './harness.ts'
import { PROGRAM } from './pseudo-terminal.ts'

const context = serviceContext()

/** Runs a line in a shell that finds `fish-cli` in its PATH. */
async function paste(line: string, folder: string, env: Readonly<Record<string, string | undefined>>) {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const program = join(bin, 'fish-cli')
  await writeFile(program, `#!/bin/sh\nexec '${PROGRAM.join("' '")}' "$@"\n`)
  await chmod(program, 0o755)
  return promisify(execFile)('/bin/sh', ['-c', line], {
    env: { FISH_SECRET_STORE: 'file', ...env, PATH: `${bin}:${process.env.PATH}` },
  })
}

test.each(['remove', 'undo'])(
  'the command that takes back %s works when pasted, whatever the path',
  async (command) => {
    const folder = join(newFolder(), 'Alex\'s  "best" $HOME folder')
    const env = { ...context.player, ...xdgFolders(folder) }
    const added = await run(['add', 'Cod', '-r', 'gold', '--json'], { env })
    const argv = command === 'undo' ? ['undo', '--yes'] : ['remove', JSON.parse(added.stdout).id, '--yes']
    const { stdout } = await run(argv, { env })
    const [, line = ''] = /^To take it back: (.*)$/m.exec(stdout) ?? []
    expect((await paste(line, folder, env)).stdout).toContain('1 catch imported: 1 sent')
  },
)
