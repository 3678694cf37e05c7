import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './child-process.ts'
import { PROJECT } from './language-tools.ts'

/**
 * Packs packages of this project into tarballs for publishing, and unpacks the tarballs in a folder like an
 * installation.
 */
export async function installPackages(names: readonly string[], folder: string): Promise<void> {
  const tarballs = join(folder, 'tarballs')
  await mkdir(tarballs, { recursive: true })
  const options = ['--json', '--ignore-scripts', '--offline', '--loglevel=error', '--pack-destination', tarballs]
  const packed = await succeed('npm', ['pack', ...options, ...names.map((name) => `--workspace=${name}`)])
  for (const { name, filename } of JSON.parse(packed) as readonly { name: string; filename: string }[]) {
    const target = join(folder, 'node_modules', name)
    await mkdir(target, { recursive: true })
    await succeed('tar', ['-xzf', join(tarballs, filename), '-C', target, '--strip-components=1'])
  }
}

/** Packs and unpacks `fish-cli` with its one required dependency, and links its program in the folder `bin`. */
export async function installPrograms(folder: string): Promise<void> {
  await installPackages(['cli'], folder)
  await symlink(join(PROJECT, 'node_modules/undici'), join(folder, 'node_modules/undici'))
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const manifest = await readFile(join(folder, 'node_modules/fish-cli/package.json'), 'utf8')
  const programs = (JSON.parse(manifest) as { bin: Readonly<Record<string, string>> }).bin
  for (const [name, file] of Object.entries(programs)) {
    await symlink(join(folder, 'node_modules/fish-cli', file), join(bin, name))
  }
}

async function succeed(command: string, args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await run(command, args, {}, PROJECT)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}
