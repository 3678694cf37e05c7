import { isOnlyLocal } from '../../../../server/web/src/admin/data/local-address.ts'
import type { LoginFile } from '../../../../server/web/src/parts/login-file.ts'
import { CliError } from '../../core/errors.ts'
import { isServiceUrl, parseServiceUrl } from '../../core/parse-values.ts'
import { adminNameOf } from '../../session/admin.ts'
import { fetchGamemodes, findGamemode } from '../../session/gamemodes.ts'
import type { LoginTarget } from '../../session/profiles.ts'
import type { Session } from '../../session/session.ts'
import type { TargetFlags } from '../../session/target.ts'

interface LoginFlags extends Omit<TargetFlags, 'admin'> {
  readonly asAdmin: boolean
  /** The name in the command line. */
  readonly named: string | undefined
  readonly file: LoginFile | undefined
}

/**
 * Returns the session of the account to log in. The login file overrides the environment, because the secrets in the
 * file are only for the service that the file names. Flags override the file.
 */
export function sessionFor(session: Session, { asAdmin, named, file, ...flags }: LoginFlags): Session {
  const fromFile = file && { url: flags.url ?? file.service, gamemode: flags.gamemode ?? file.gamemode }
  const account = { [asAdmin ? 'admin' : 'user']: named ?? file?.name }
  const { target } = session.withFlags({ ...flags, ...fromFile, admin: undefined, ...account }, true)
  const url = withScheme(target.url.value)
  if (url !== target.url.value) session.terminal.note(`The address of the service is ${url}`)
  return session.at({ ...target, url: { ...target.url, value: url } })
}

/** Adds a missing scheme to an address: http for this machine, otherwise https. Other texts stay unchanged. */
function withScheme(address: string): string {
  if (address.includes('://')) return address
  const url = `http://${address}`
  if (!isServiceUrl(url)) return address
  return isOnlyLocal(url) ? url : `https://${address}`
}

/**
 * Prompts for values that flags, environment, profile and settings do not contain. Without a terminal, these values
 * stay missing.
 */
export async function promptForMissing(session: Session): Promise<Session> {
  const { terminal, target } = session
  if (!terminal.canPrompt) return session
  const question = async (text: string, parse: (typed: string) => string | Promise<string>) => {
    for (;;) {
      const typed = (await terminal.prompt(text))?.trim()
      if (!typed) return undefined
      try {
        return { value: await parse(typed), from: 'flag' } as const
      } catch (error) {
        if (!(error instanceof CliError)) throw error
        terminal.say(`fish-cli: ${error.message} ${error.hint ?? ''}`.trimEnd())
      }
    }
  }
  let { url, user, gamemode } = target
  if (url.from === 'default') {
    url =
      (await question(`Address of the service (press Enter for ${url.value}): `, (typed) =>
        parseServiceUrl(withScheme(typed)),
      )) ?? url
  }
  if (!user?.value) user = await question('Your player name: ', (typed) => typed)
  if (user && !gamemode?.value) {
    const service = session.at({ ...target, url })
    const names = (await fetchGamemodes(service)).join(', ')
    gamemode = await question(
      `Your gamemode, if you always play the same one (${names}; press Enter to skip): `,
      (typed) => findGamemode(service, typed, 'your reply'),
    )
  }
  return session.at({ ...target, url, user, gamemode })
}

/** The fields of the profile that a login changes. */
export function loginOf(session: Session, asAdmin: boolean): LoginTarget {
  const { url, user, gamemode } = session.target
  if (asAdmin) return { url: url.value, admin: adminNameOf(session) }
  // A gamemode from the settings applies to all profiles, and is not copied into the profile.
  const own = gamemode && gamemode.from !== 'setting' ? { gamemode: gamemode.value } : {}
  return { url: url.value, user: user?.value, ...own }
}
