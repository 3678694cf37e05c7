import { glob, readFile, stat } from 'node:fs/promises'
import * as path from 'node:path'
import type { PlatformInfo } from '../../../../sdk/src/internal/user-folders.node.ts'
import { CliError, EXIT } from '../../core/errors.ts'
import type { System } from '../../core/system.ts'
import { homeFolder } from '../../session/paths.ts'

/**
 * Returns the latest log of each game, most recently written first.
 * @throws CliError `log_not_found`
 */
export async function findGames(locations: readonly LogLocation[]): Promise<readonly FoundLog[]> {
  return gamesAmong(await findLogs(locations))
}

/**
 * Returns the latest log of each game.
 * @param logs most recently written first
 * @throws CliError `log_not_found` if there is no log
 */
export function gamesAmong(logs: readonly FoundLog[]): readonly FoundLog[] {
  const isSameGame = (a: FoundLog, b: FoundLog) =>
    // Launchers may share logs through links.
    a.identity === b.identity || path.dirname(a.path) === path.dirname(b.path)
  const games = logs.filter((log, index) => logs.findIndex((other) => isSameGame(log, other)) === index)
  if (games.length > 0) return games
  throw new CliError({
    code: 'log_not_found',
    message: 'No game log found in the folders of the usual launchers.',
    hint:
      'Start the game once, or pass the path of its log: fish-cli watch PATH/logs/latest.log. ' +
      'To add old logs: fish-cli watch --once PATH/logs',
    exit: EXIT.notFound,
  })
}

export async function findLogs(locations: readonly LogLocation[]): Promise<readonly FoundLog[]> {
  const found = await Promise.all((await searchedLocations(locations)).map(logsAt))
  return found.flat().sort((a, b) => b.writtenAt - a.writtenAt)
}

/** Adds the folders that the settings of launchers name. */
export async function searchedLocations(locations: readonly LogLocation[]): Promise<readonly LogLocation[]> {
  return [...locations, ...(await namedLocations(locations))]
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

interface Launcher {
  /** Folders by platform. A word in braces stands for a folder of the user. */
  readonly win32: readonly string[]
  readonly darwin: readonly string[]
  readonly other: readonly string[]
  /** Patterns of logs in each folder. */
  readonly logs: readonly string[]
}

// An instance of MultiMC has a folder .minecraft, and an instance of Prism has a folder minecraft. Both launchers also
// read instances of the other launcher.
const MULTIMC_LOGS = ['instances/*/.minecraft/logs/latest.log', 'instances/*/minecraft/logs/latest.log']

const LAUNCHERS: Readonly<Record<string, Launcher>> = {
  // HMCL and PCL store the logs of a version in versions, and Badlion stores its logs in blclient.
  vanilla: {
    win32: ['{roaming}/.minecraft'],
    darwin: ['{support}/minecraft'],
    other: [
      '{home}/.minecraft',
      '{apps}/com.mojang.Minecraft/.minecraft',
      '{apps}/com.mojang.Minecraft/data/minecraft',
    ],
    logs: ['logs/latest.log', 'versions/*/logs/latest.log', 'logs/blclient/minecraft/latest.log'],
  },
  ATLauncher: {
    win32: ['{roaming}/ATLauncher'],
    darwin: ['{support}/ATLauncher', '/Applications/ATLauncher.app/Contents/Java'],
    other: ['{data}/ATLauncher', '{apps}/com.atlauncher.ATLauncher/data/ATLauncher'],
    logs: ['instances/*/logs/latest.log'],
  },
  CurseForge: {
    win32: ['{home}/curseforge/minecraft', '{home}/Documents/curseforge/minecraft'],
    darwin: ['{home}/curseforge/minecraft', '{home}/Documents/curseforge/minecraft'],
    other: ['{home}/curseforge/minecraft', '{home}/Documents/curseforge/minecraft'],
    logs: ['Instances/*/logs/latest.log'],
  },
  Feather: {
    win32: ['{roaming}/.minecraft/feather', '{roaming}/.feather', '{roaming}/Feather Launcher'],
    darwin: ['{support}/minecraft/feather', '{home}/.feather', '{support}/feather', '{support}/Feather Launcher'],
    other: [
      '{home}/.minecraft/feather',
      '{apps}/com.mojang.Minecraft/.minecraft/feather',
      '{apps}/com.mojang.Minecraft/data/minecraft/feather',
      '{home}/.feather',
      '{config}/feather',
    ],
    logs: ['logs/latest.log', 'user/game/logs/latest.log', 'player-server/servers/*/logs/latest.log'],
  },
  FTB: {
    win32: ['{local}/.ftba', '{home}/.ftba'],
    darwin: ['{support}/.ftba', '{home}/.ftba'],
    other: ['{home}/.ftba', '{data}/.ftba'],
    logs: ['instances/*/logs/latest.log'],
  },
  GDLauncher: {
    win32: ['{roaming}/gdlauncher_carbon/data', '{roaming}/gdlauncher_next'],
    darwin: ['{support}/gdlauncher_carbon/data', '{support}/gdlauncher_next'],
    other: ['{data}/gdlauncher_carbon/data', '{config}/gdlauncher_next'],
    logs: ['instances/*/instance/logs/latest.log', 'instances/*/logs/latest.log'],
  },
  Lunar: {
    win32: ['{home}/.lunarclient'],
    darwin: ['{home}/.lunarclient'],
    other: ['{home}/.lunarclient'],
    logs: [
      'offline/multiver/logs/latest.log',
      'offline/*/logs/latest.log',
      'profiles/*/*/logs/latest.log',
      'logs/game/*.log',
    ],
  },
  Modrinth: {
    win32: ['{roaming}/ModrinthApp', '{roaming}/com.modrinth.theseus'],
    darwin: ['{support}/ModrinthApp', '{support}/com.modrinth.theseus'],
    other: ['{data}/ModrinthApp', '{config}/com.modrinth.theseus', '{apps}/com.modrinth.ModrinthApp/data/ModrinthApp'],
    logs: ['profiles/*/logs/latest.log'],
  },
  MultiMC: {
    win32: ['{roaming}/MultiMC', '{local}/MultiMC', '{home}/MultiMC'],
    darwin: ['{support}/MultiMC', '/Applications/MultiMC.app/Data'],
    other: ['{data}/multimc', '{home}/.multimc', '{home}/MultiMC'],
    logs: MULTIMC_LOGS,
  },
  PolyMC: {
    win32: ['{roaming}/PolyMC'],
    darwin: ['{support}/PolyMC'],
    other: ['{data}/PolyMC', '{apps}/org.polymc.PolyMC/data/PolyMC'],
    logs: MULTIMC_LOGS,
  },
  Prism: {
    win32: ['{roaming}/PrismLauncher'],
    darwin: ['{support}/PrismLauncher'],
    other: ['{data}/PrismLauncher', '{apps}/org.prismlauncher.PrismLauncher/data/PrismLauncher'],
    logs: MULTIMC_LOGS,
  },
  Snap: { win32: [], darwin: [], other: ['{home}/snap'], logs: ['*/*/.minecraft/logs/latest.log'] },
  Technic: {
    win32: ['{roaming}/.technic'],
    darwin: ['{support}/technic'],
    other: ['{home}/.technic'],
    logs: ['modpacks/*/logs/latest.log'],
  },
}

/** A file of a launcher that names folders outside the folder of the launcher. */
interface FolderSettings {
  readonly file: string
  readonly pattern: string
  readonly folders: (text: string) => readonly string[]
}

const INSTANCE_SETTINGS = ['prismlauncher.cfg', 'polymc.cfg', 'multimc.cfg'].flatMap((file) =>
  ['*/.minecraft/logs/latest.log', '*/minecraft/logs/latest.log'].map(
    (pattern): FolderSettings => ({ file, pattern, folders: instanceFolders }),
  ),
)
const PROFILE_SETTINGS = ['launcher_profiles.json', 'launcher_profiles_microsoft_store.json'].map(
  (file): FolderSettings => ({ file, pattern: 'logs/latest.log', folders: gameFolders }),
)
const FOLDER_SETTINGS: readonly FolderSettings[] = [...INSTANCE_SETTINGS, ...PROFILE_SETTINGS]

/** Reads `InstanceDir` in the format of QSettings, which escapes backslashes. */
function instanceFolders(text: string): readonly string[] {
  const [, folder] = /^InstanceDir="?([^"\r\n]+)/m.exec(text) ?? []
  return folder === undefined ? [] : [folder.replaceAll('\\\\', '\\')]
}

function gameFolders(text: string): readonly string[] {
  const { profiles } = JSON.parse(text) as { readonly profiles?: Readonly<Record<string, { gameDir?: unknown }>> }
  return Object.values(profiles ?? {}).flatMap(({ gameDir }) => (typeof gameDir === 'string' ? [gameDir] : []))
}

/** Returns the locations that the settings of launchers name. Files that cannot be read are skipped. */
async function namedLocations(locations: readonly LogLocation[]): Promise<readonly LogLocation[]> {
  const launchers = new Map(locations.map(({ launcher, folder }) => [folder, launcher]))
  const read = async (folder: string, launcher: string, { file, pattern, folders }: FolderSettings) => {
    try {
      const named = folders(await readFile(path.join(folder, file), 'utf8'))
      return named.map((one) => ({ launcher, folder: path.resolve(folder, one), pattern }))
    } catch {
      return []
    }
  }
  const found = [...launchers].flatMap(([folder, launcher]) =>
    FOLDER_SETTINGS.map((settings) => read(folder, launcher, settings)),
  )
  return (await Promise.all(found)).flat()
}

/** Returns the usual locations of logs on this machine. */
export function usualLocations({ env }: Pick<System, 'env'>): readonly LogLocation[] {
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
  const system = platform === 'win32' || platform === 'darwin' ? platform : 'other'
  return Object.entries(LAUNCHERS).flatMap(([launcher, { [system]: folders, logs }]) =>
    folders.flatMap((folder) => {
      const path = join(folder.replace(/^\{\w+\}/, (name) => userFolders[name] ?? name))
      return logs.map((pattern) => ({ launcher, folder: path, pattern }))
    }),
  )
}
