import { readFile, stat } from 'node:fs/promises'
import { userNameKey } from '@fish-crab/sdk/constants'
import { isOnlyLocal } from '../../../../server/web/src/admin/data/local-address.ts'
import { formatLoginFile, type LoginFile, parseLoginFile } from '../../../../server/web/src/parts/login-file.ts'
import { commandLine } from '../../core/argv.ts'
import { CliError, EXIT, usageError } from '../../core/errors.ts'
import { isServiceUrl } from '../../core/parse-values.ts'
import { decodeTextFile } from '../../session/files.ts'
import type { Session } from '../../session/session.ts'

const GROUP_AND_OTHERS = 0o077

export interface ReadLogin {
  readonly login: LoginFile
  /** Whether other users of this machine can read the file. */
  readonly isShared: boolean
}

/**
 * Errors do not quote the content, which is secret.
 * @param user the player who must own the file @default any player
 * @throws CliError `file_not_read`, `invalid_login_file` or `usage`
 */
export async function readLoginFile(path: string, user: string | undefined): Promise<ReadLogin> {
  if (path === '') throw usageError('--from is empty.', 'Pass the path of a login file.')
  const [bytes, { mode }] = await Promise.all([readFile(path), stat(path)]).catch((error) => {
    const isMissing = error.code === 'ENOENT'
    const message = isMissing ? `There is no file ${path}.` : `${path} cannot be read (${error.code ?? error.name}).`
    const hint = isMissing ? 'Check the name and the folder of the file.' : 'Check the permissions of the file.'
    throw new CliError({ code: 'file_not_read', message, hint, exit: isMissing ? EXIT.notFound : EXIT.usage })
  })
  const login = parseLoginFile(decodeTextFile(bytes, path))
  if (typeof login === 'string') throw invalidFile(path, login)
  if (!isServiceUrl(login.service)) throw invalidFile(path, 'service is missing or wrong')
  if (user !== undefined && userNameKey(user) !== userNameKey(login.name)) {
    throw usageError(
      `${path} is the login file of another player.`,
      `Leave USER out: ${commandLine('login', '--from', path)}`,
    )
  }
  return { login, isShared: process.platform !== 'win32' && (mode & GROUP_AND_OTHERS) !== 0 }
}

function invalidFile(path: string, why: string): CliError {
  return new CliError({
    code: 'invalid_login_file',
    message: `${path} is not a login file: ${why}.`,
    hint: 'Ask your administrator for a new login file. Or log in with your password: fish-cli login',
    exit: EXIT.usage,
  })
}

/**
 * Returns a function that formats the login file of a player. Notes if other machines cannot reach the service.
 * @param service the address that the service states @default the address of this command
 * @throws CliError `invalid_response` for an address that a login file cannot contain
 */
export function loginFileFormat(
  { terminal, url }: Session,
  service = url,
): (player: Omit<LoginFile, 'service'>) => string {
  if (!isServiceUrl(service)) {
    throw new CliError({
      code: 'invalid_response',
      message: `The public address of the service is not an http or https address: ${service}`,
      hint: 'Set FISH_PUBLIC_URL of the server to an address such as https://fish.example.org.',
      exit: EXIT.failure,
    })
  }
  if (isOnlyLocal(service)) {
    terminal.note(
      `The login file names ${service}, which only this machine can reach. For players on other machines, set FISH_PUBLIC_URL of the server.`,
    )
  }
  return (player) => formatLoginFile({ service, ...player })
}
