import type { Env } from '../core/system.ts'

/**
 * Opens a URL in the browser of the desktop, and does not wait for the browser to close. Returns whether a browser was
 * found.
 */
export async function openBrowser(url: string, env: Env): Promise<boolean> {
  const { spawn } = await import('node:child_process')
  const [command, ...args] = launcherOf(env)
  return new Promise((resolve) => {
    // No shell is used, because a shell would interpret special characters in the address.
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      // Without a desktop, the launcher fails immediately. If the command is the browser itself, the process keeps
      // running.
      const settled = setTimeout(() => resolve(true), LAUNCH_MS)
      child.once('exit', (status) => {
        clearTimeout(settled)
        resolve(status === 0)
      })
    })
    child.unref()
  })
}

const LAUNCH_MS = 2000

function launcherOf({ BROWSER }: Env): readonly [string, ...string[]] {
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  if (BROWSER) return [BROWSER]
  return [process.platform === 'darwin' ? 'open' : 'xdg-open']
}
