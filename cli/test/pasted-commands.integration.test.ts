import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { newFolder, writeProfiles, xdgFolders } from './folders.ts'
import { run, serviceContext } from './harness.ts'
import { PROGRAM } from './pseudo-terminal.ts'

const context = serviceContext()

/** Runs a line in a shell that finds `fish-cli` in its PATH. */
async function paste(line: string, folder: string, env: Readonly<Record<string, string | undefined>>) {
  const bin = join(folder, 'bin')
  await mkdir(bin, { recursive: true })
  const program = join(bin, 'fish-cli')
  await writeFile(program, `#!/bin/sh\nexec '${PROGRAM.join("' '")}' "$@"\n`)
  await chmod(program, 0o755)
  return promisify(execFile)('/bin/sh', ['-c', line], {
    env: { FISH_SECRET_STORE: 'file', ...env, PATH: `${bin}:${process.env.PATH}` },
  })
}

const ODD = 'Alex\'s  "best" $HOME folder'

test.each(['remove', 'undo'])(
  'the command that reverts %s works when pasted, even with special characters in its path',
  async (command) => {
    const folder = join(newFolder(), ODD)
    const { FISH_URL: url = '', ...player } = context.player
    const env = { ...player, ...xdgFolders(folder) }
    const added = await run(['add', 'Cod', '-r', 'gold', '--json', '--url', url], { env })
    const argv = command === 'undo' ? ['undo'] : ['remove', JSON.parse(added.stdout).id]
    const { stdout } = await run([...argv, '--yes', '--url', url], { env })
    const [, line = ''] = /^To add the catches again: (.*)$/m.exec(stdout) ?? []
    expect((await paste(line, folder, env)).stdout).toContain('1 catch in the file: 1 sent')
  },
)

test('the commands printed at the end of watch work when pasted, and use the profile and the folder of this watch run', async () => {
  const folder = join(newFolder(), ODD)
  const env = xdgFolders(folder)
  const at = ['--profile', 'main', '--url', context.service.url]
  await writeProfiles(folder, { other: { url: 'http://127.0.0.1:1', user: 'Bob' } })
  const login = await run(['login', 'Alex', ...at], { env: { ...env, FISH_PASSWORD: context.alex.password } })
  expect(login.status).toBe(0)
  await run(['profile', 'other'], { env })
  const chat = (text: string) => `[09:00:01] [Render thread/INFO]: [CHAT] ${text}\n`
  const log = join(folder, 'latest.log')
  const caught = [chat('Sending you to hub'), chat('NICE CATCH! You caught a Salmon.')]
  await writeFile(log, [...caught, chat('TOLLER FANG! Du hast einen Lachs gefangen.')].join(''))
  const watch = ['watch', log, '--once', '--profile', 'main']
  const { stderr } = await run(watch, { env: { ...env, FISH_GAMEMODE: 'earth' } })

  const [, held = ''] = /^ {2}To add them: (.*)$/m.exec(stderr) ?? []
  const added = await paste(held.replace('GAMEMODE', 'oneblock'), folder, env)
  expect(added.stdout).toContain('1 catch added. 1 sent.')

  const [, history = ''] = /Then add the catches: (.*)$/m.exec(stderr) ?? []
  const config = join(folder, 'config', 'fish-crab', 'config.json')
  const pattern = {
    kind: 'fish',
    template: '{rarity} FANG! Du hast einen {name} gefangen.',
    rarities: { toller: 'Gold' },
  }
  await writeFile(config, JSON.stringify({ ...JSON.parse(await readFile(config, 'utf8')), patterns: [pattern] }))
  const found = await paste(`${history} --gamemode earth --yes`, folder, env)
  expect(found.stdout).toContain('1 catch added. 1 sent.')
})

test('the command printed at the start of watch adds the skipped catches when pasted', async () => {
  const folder = join(newFolder(), ODD)
  const env = { ...context.player, ...xdgFolders(folder) }
  const log = join(folder, 'latest.log')
  await mkdir(folder)
  await writeFile(log, '[09:00:01] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a Salmon.\n')
  const ending = new AbortController()
  let line = ''
  const onStderr = (text: string) => {
    ;[, line = ''] = /To add the skipped catches: (.*)\n/.exec(text) ?? []
    if (line) ending.abort()
  }
  await run(['watch', log], { env, interrupted: ending.signal, onStderr })
  expect((await paste(line, folder, env)).stdout).toContain('1 catch added. 1 sent.')
})
