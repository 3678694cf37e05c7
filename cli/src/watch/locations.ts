import { glob, stat } from 'node:fs/promises'
import * as path from 'node:path'
import type { PlatformInfo } from '../../../sdk/src/internal/user-folders.node.ts'
import { CliError, EXIT } from '../core/errors.ts'

interface LogFileLocation {
  readonly launcher: string
  readonly path: string
}

/**
 * Finds the log that was written to last: the one of the game that is running, or ran last.
 *
 * @throws CliError `log_not_found`
 */
export async function findLog(places: readonly LogLocation[]): Promise<LogFileLocation> {
  const found = await Promise.all(places.map(logsAt))
  const [newest] = found.flat().sort((a, b) => b.writtenAt - a.writtenAt)
  if (newest) return { launcher: newest.launcher, path: newest.path }
  throw new CliError({
    code: 'log_not_found',
    message: 'No log of the game found in the folders of the usual launchers.',
    hint: 'Start the game once, or pass the path: fish-cli watch PATH/logs/latest.log',
    exit: EXIT.notFound,
  })
}

async function logsAt({
  launcher,
  pattern,
}: LogLocation): Promise<(LogFileLocation & { readonly writtenAt: number })[]> {
  const paths: string[] = []
  // Without a star it is a plain path, with any characters.
  if (pattern.includes('*')) {
    try {
      for await (const path of glob(pattern)) paths.push(path)
    } catch {
      // A folder that cannot be read is skipped.
    }
  } else paths.push(pattern)
  const looked = paths.map(async (path) => {
    const { mtimeMs, isFile } = await fileFacts(path)
    return isFile ? [{ launcher, path, writtenAt: mtimeMs }] : []
  })
  return (await Promise.all(looked)).flat()
}

async function fileFacts(path: string): Promise<{ readonly mtimeMs: number; readonly isFile: boolean }> {
  try {
    const facts = await stat(path)
    return { mtimeMs: facts.mtimeMs, isFile: facts.isFile() }
  } catch {
    return { mtimeMs: 0, isFile: false }
  }
}

/** A path at which a launcher or client of the game may store its log. */
interface LogLocation {
  readonly launcher: string
  /** A path in which a segment `*` matches every folder. */
  readonly pattern: string
}

const LOG = ['logs', 'latest.log']
// Game folder of an instance: MultiMC uses .minecraft, Prism minecraft, and each reads the other's.
const INSTANCE_GAMES = ['.minecraft', 'minecraft']

/**
 * Paths of the log with the usual launchers and clients: vanilla, Lunar, Feather, Prism and MultiMC, the last two with a
 * folder per instance.
 *
 * @example
 * logPlaces({ platform: 'linux', env: {}, home: '/home/alex' })[0]?.pattern // '/home/alex/.minecraft/logs/latest.log'
 */
export function logLocations({ platform, env, home }: PlatformInfo): readonly LogLocation[] {
  const { join } = platform === 'win32' ? path.win32 : path.posix
  const { games, instances, feather } = foldersOfPlatform({ platform, env, home }, join)
  const lunar = join(home, '.lunarclient')
  const places: LogLocation[] = games.flatMap((game) => [
    { launcher: 'vanilla', pattern: join(game, ...LOG) },
    { launcher: 'Feather', pattern: join(game, 'feather', ...LOG) },
  ])
  places.push(
    { launcher: 'Lunar', pattern: join(lunar, 'offline', 'multiver', ...LOG) },
    { launcher: 'Lunar', pattern: join(lunar, 'offline', '*', ...LOG) },
    { launcher: 'Lunar', pattern: join(lunar, 'profiles', '*', '*', ...LOG) },
    { launcher: 'Lunar', pattern: join(lunar, 'logs', 'game', '*.log') },
  )
  for (const folder of feather) {
    places.push(
      { launcher: 'Feather', pattern: join(folder, ...LOG) },
      { launcher: 'Feather', pattern: join(folder, 'user', 'game', ...LOG) },
      { launcher: 'Feather', pattern: join(folder, 'player-server', 'servers', '*', ...LOG) },
    )
  }
  for (const { launcher, folder } of instances) {
    for (const game of INSTANCE_GAMES) {
      places.push({ launcher, pattern: join(folder, 'instances', '*', game, ...LOG) })
    }
  }
  return places
}

interface PlatformFolders {
  readonly games: readonly string[]
  readonly feather: readonly string[]
  readonly instances: readonly { readonly launcher: string; readonly folder: string }[]
}

function foldersOfPlatform({ platform, env, home }: PlatformInfo, join: typeof path.join): PlatformFolders {
  if (platform === 'win32') {
    const roaming = env.APPDATA || join(home, 'AppData', 'Roaming')
    const local = env.LOCALAPPDATA || join(home, 'AppData', 'Local')
    return {
      games: [join(roaming, '.minecraft')],
      feather: [join(roaming, '.feather'), join(roaming, 'Feather Launcher')],
      instances: [
        { launcher: 'Prism', folder: join(roaming, 'PrismLauncher') },
        { launcher: 'MultiMC', folder: join(roaming, 'MultiMC') },
        { launcher: 'MultiMC', folder: join(local, 'MultiMC') },
        { launcher: 'MultiMC', folder: join(home, 'MultiMC') },
      ],
    }
  }
  if (platform === 'darwin') {
    const support = join(home, 'Library', 'Application Support')
    return {
      games: [join(support, 'minecraft')],
      feather: [join(home, '.feather'), join(support, 'feather'), join(support, 'Feather Launcher')],
      instances: [
        { launcher: 'Prism', folder: join(support, 'PrismLauncher') },
        { launcher: 'MultiMC', folder: join(support, 'MultiMC') },
        { launcher: 'MultiMC', folder: '/Applications/MultiMC.app/Data' },
      ],
    }
  }
  const data = env.XDG_DATA_HOME || join(home, '.local', 'share')
  const apps = join(home, '.var', 'app')
  return {
    games: [
      join(home, '.minecraft'),
      join(apps, 'com.mojang.Minecraft', '.minecraft'),
      join(apps, 'com.mojang.Minecraft', 'data', 'minecraft'),
    ],
    feather: [join(home, '.feather'), join(env.XDG_CONFIG_HOME || join(home, '.config'), 'feather')],
    instances: [
      { launcher: 'Prism', folder: join(data, 'PrismLauncher') },
      { launcher: 'Prism', folder: join(apps, 'org.prismlauncher.PrismLauncher', 'data', 'PrismLauncher') },
      { launcher: 'MultiMC', folder: join(data, 'multimc') },
      { launcher: 'MultiMC', folder: join(home, '.multimc') },
      { launcher: 'MultiMC', folder: join(home, 'MultiMC') },
    ],
  }
}
