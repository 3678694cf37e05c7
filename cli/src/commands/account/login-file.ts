import { readFile, stat } from 'node:fs/promises'
import { userNameKey } from '@fish-crab/sdk/constants'
import { type LoginFile, parseLoginFile } from '../../../../server/web/src/admin/data/login-file.ts'
import { commandLine } from '../../core/argv.ts'
import { CliError, EXIT, usageError } from '../../core/errors.ts'
import { isServiceUrl } from '../../core/parse-values.ts'
import { decodeTextFile } from '../../session/files.ts'

const GROUP_AND_OTHERS = 0o077

/**
 * Errors do not quote the content, which is secret.
 * @param user the player who must own the file @default any player
 * @throws CliError `file_not_read`, `invalid_login_file` or `usage`
 */
export async function readLoginFile(
  path: string,
  user: string | undefined,
): Promise<{ readonly login: LoginFile; readonly isShared: boolean }> {
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
