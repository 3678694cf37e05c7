import { glob, stat } from 'node:fs/promises'
import * as path from 'node:path'
import type { PlatformInfo } from '../../../sdk/src/internal/user-folders.node.ts'
import { homeFolder } from '../config/paths.ts'
import type { Context } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'

/** Returns the latest log of each game, most recently written first. @throws CliError `log_not_found` */
export async function findGames(locations: readonly LogLocation[]): Promise<readonly FoundLog[]> {
  const logs = await findLogs(locations)
  const isSameGame = (a: FoundLog, b: FoundLog) =>
    // Launchers may share logs through links.
    a.identity === b.identity || path.dirname(a.path) === path.dirname(b.path)
  const games = logs.filter((log, index) => logs.findIndex((other) => isSameGame(log, other)) === index)
  if (games.length > 0) return games
  throw new CliError({
    code: 'log_not_found',
    message: 'No game log found in the folders of the usual launchers.',
    hint: 'Start the game once, or pass the path: fish-cli watch PATH/logs/latest.log',
    exit: EXIT.notFound,
  })
}

export async function findLogs(locations: readonly LogLocation[]): Promise<readonly FoundLog[]> {
  const found = await Promise.all(locations.map(logsAt))
  return found.flat().sort((a, b) => b.writtenAt - a.writtenAt)
}

export type FoundLog = Awaited<ReturnType<typeof logsAt>>[number]

async function logsAt({ launcher, folder, pattern }: LogLocation) {
  const paths: string[] = []
  try {
    for await (const log of glob(pattern, { cwd: folder })) paths.push(path.join(folder, log))
  } catch {
    // A folder that cannot be read is skipped.
  }
  const logs = paths.map(async (path) => {
    const stats = await stat(path, { bigint: true }).catch(() => undefined)
    if (!stats?.isFile()) return []
    return [{ launcher, path, writtenAt: Number(stats.mtimeMs), identity: `${stats.dev}:${stats.ino}` }]
  })
  return (await Promise.all(logs)).flat()
}

interface LogLocation {
  readonly launcher: string
  /** An absolute path, which may contain any character. */
  readonly folder: string
  /** A path in the folder, in which `*` matches any part of a name. */
  readonly pattern: string
}

/**
 * The paths of logs in the folder of a launcher. An instance of MultiMC has a folder .minecraft, and an instance of
 * Prism has a folder minecraft. Both launchers also read instances of the other launcher.
 */
const LOGS = {
  vanilla: ['logs/latest.log'],
  Feather: ['logs/latest.log', 'user/game/logs/latest.log', 'player-server/servers/*/logs/latest.log'],
  Lunar: [
    'offline/multiver/logs/latest.log',
    'offline/*/logs/latest.log',
    'profiles/*/*/logs/latest.log',
    'logs/game/*.log',
  ],
  Prism: ['instances/*/.minecraft/logs/latest.log', 'instances/*/minecraft/logs/latest.log'],
  MultiMC: ['instances/*/.minecraft/logs/latest.log', 'instances/*/minecraft/logs/latest.log'],
} as const

type LauncherFolders = Readonly<Record<keyof typeof LOGS, readonly string[]>>

/** Folders of the launchers, by platform. A word in braces stands for a folder of the user. */
const FOLDERS: Readonly<Record<'win32' | 'darwin' | 'other', LauncherFolders>> = {
  win32: {
    vanilla: ['{roaming}/.minecraft'],
    Feather: ['{roaming}/.minecraft/feather', '{roaming}/.feather', '{roaming}/Feather Launcher'],
    Lunar: ['{home}/.lunarclient'],
    Prism: ['{roaming}/PrismLauncher'],
    MultiMC: ['{roaming}/MultiMC', '{local}/MultiMC', '{home}/MultiMC'],
  },
  darwin: {
    vanilla: ['{support}/minecraft'],
    Feather: ['{support}/minecraft/feather', '{home}/.feather', '{support}/feather', '{support}/Feather Launcher'],
    Lunar: ['{home}/.lunarclient'],
    Prism: ['{support}/PrismLauncher'],
    MultiMC: ['{support}/MultiMC', '/Applications/MultiMC.app/Data'],
  },
  other: {
    vanilla: [
      '{home}/.minecraft',
      '{apps}/com.mojang.Minecraft/.minecraft',
      '{apps}/com.mojang.Minecraft/data/minecraft',
    ],
    Feather: [
      '{home}/.minecraft/feather',
      '{apps}/com.mojang.Minecraft/.minecraft/feather',
      '{apps}/com.mojang.Minecraft/data/minecraft/feather',
      '{home}/.feather',
      '{config}/feather',
    ],
    Lunar: ['{home}/.lunarclient'],
    Prism: ['{data}/PrismLauncher', '{apps}/org.prismlauncher.PrismLauncher/data/PrismLauncher'],
    MultiMC: ['{data}/multimc', '{home}/.multimc', '{home}/MultiMC'],
  },
}

/** Returns the usual locations of logs on this machine. */
export function usualPlaces({ env }: Pick<Context, 'env'>): readonly LogLocation[] {
  return logLocations({ platform: process.platform, env, home: homeFolder(env) })
}

export function logLocations({ platform, env, home }: PlatformInfo): readonly LogLocation[] {
  const { join } = platform === 'win32' ? path.win32 : path.posix
  const userFolders: Readonly<Record<string, string>> = {
    '{home}': home,
    '{roaming}': env.APPDATA || join(home, 'AppData', 'Roaming'),
    '{local}': env.LOCALAPPDATA || join(home, 'AppData', 'Local'),
    '{support}': join(home, 'Library', 'Application Support'),
    '{data}': env.XDG_DATA_HOME || join(home, '.local', 'share'),
    '{config}': env.XDG_CONFIG_HOME || join(home, '.config'),
    '{apps}': join(home, '.var', 'app'),
  }
  const folders = FOLDERS[platform === 'win32' || platform === 'darwin' ? platform : 'other']
  return Object.entries(LOGS).flatMap(([launcher, logs]) =>
    folders[launcher as keyof typeof LOGS].flatMap((folder) => {
      const path = join(folder.replace(/^\{\w+\}/, (name) => userFolders[name] ?? name))
      return logs.map((pattern) => ({ launcher, folder: path, pattern }))
    }),
  )
}
