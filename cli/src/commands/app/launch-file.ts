import { execFile } from 'node:child_process'
import { existsSync, globSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { System } from '../../core/system.ts'
import { homeFolder } from '../../session/paths.ts'

/**
 * Writes a file that leads to an address. The command line of a browser is visible to all users of the machine, so it
 * names this file, which only this user can read.
 * @param folder the folder of this user's state
 * @returns the path
 */
export async function writeLaunchFile(system: Pick<System, 'env'>, folder: string, address: string): Promise<string> {
  const file = join((await snapFolder(system)) ?? folder, `fish-collection-${crypto.randomUUID()}.html`)
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${address}">\n`, { mode: 0o600 })
  return file
}

/** Removes the files that a killed process has left in its folder. */
export function removeLaunchFiles(folder: string): void {
  for (const name of globSync('fish-collection-*.html', { cwd: folder })) rmSync(join(folder, name), { force: true })
}

/**
 * Returns a folder that the default browser can read if the browser is a snap, as on Ubuntu. Snaps cannot read hidden
 * folders of the home.
 */
async function snapFolder({ env }: Pick<System, 'env'>): Promise<string | undefined> {
  const snaps = join(homeFolder(env), 'snap')
  if (process.platform !== 'linux' || env.BROWSER || !existsSync(snaps)) return undefined
  const browser = await promisify(execFile)('xdg-settings', ['get', 'default-web-browser'], { env }).then(
    ({ stdout }) => stdout,
    () => '',
  )
  // The desktop entry of a snap is named after the snap and its program, such as `firefox_firefox.desktop`.
  const [, name] = /^([a-z\d-]+)_[\w.-]+\.desktop\n?$/.exec(browser) ?? []
  const folder = name === undefined ? undefined : join(snaps, name, 'common')
  return folder !== undefined && existsSync(folder) ? folder : undefined
}
