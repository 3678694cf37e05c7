import { readFile, stat } from 'node:fs/promises'
import { type LoginFile, parseLoginFile } from '../../../server/web/src/admin/data/login-file.ts'
import { CliError, EXIT, usageError } from '../core/errors.ts'
import { isServiceUrl } from '../core/parse-values.ts'
import { decodeTextFile } from './files.ts'

const GROUP_AND_OTHERS = 0o077

/** Errors do not quote the content, which is secret. @throws CliError `file_not_read` or `invalid_login_file` */
export async function readLoginFile(path: string): Promise<{ readonly login: LoginFile; readonly isShared: boolean }> {
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
