import type { ValidationError } from '@fish-crab/sdk'
import { DEFAULT_BASE_URL } from '@fish-crab/sdk/constants'
import { EXIT, type ExitStatus } from '../core/exit.ts'
import { type Failure, failure } from '../core/failure.ts'
import { GAMEMODE_LIST, NO_SUCH_GAMEMODE } from '../core/gamemode.ts'
import { SET_KEY_ANEW } from './refusal-hints.ts'

// What the SDK calls a thing, and where it comes from here.
const SOURCES: readonly (readonly [RegExp, string, ExitStatus])[] = [
  [/^fernetKey$/, 'FISH_KEY', EXIT.credentials],
  [/^apiKey$/, 'FISH_API_KEY', EXIT.credentials],
  [/^username$/, 'The name to log in with', EXIT.credentials],
  [/^password$/, 'The password', EXIT.credentials],
  [/^baseUrl$/, '--url (FISH_URL)', EXIT.usage],
  [/^user$/, 'USER (FISH_USER)', EXIT.usage],
  [/^gamemode$/, '--gamemode (FISH_GAMEMODE)', EXIT.usage],
  [/^limit$/, '--limit', EXIT.usage],
  [/^name$/, 'NAME', EXIT.usage],
  [/\.rarity$/, '--rarity', EXIT.usage],
  [/\.name$/, 'NAME', EXIT.usage],
]

// What to type instead, where an example says more than the help of the command.
const HINTS: Readonly<Record<string, string>> = {
  gamemode: GAMEMODE_LIST,
  baseUrl: `Such as: ${DEFAULT_BASE_URL}`,
  HTTP_PROXY: 'Such as: http://proxy.example.org:3128. Without a proxy, unset it.',
}

/** What the SDK refused to send, told by the names that things have here. */
export function validationFailure({ issues }: ValidationError): Failure {
  const told = issues.map(({ path, message }) => {
    const [, source = path, exit = EXIT.usage] = SOURCES.find(([pattern]) => pattern.test(path)) ?? []
    // A message that begins with the name of a variable says already what it is about.
    const isNamed = message.startsWith(path)
    if (path === 'gamemode') return { text: `${source}: ${NO_SUCH_GAMEMODE}`, exit }
    return { text: isNamed ? message : `${source}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`, exit }
  })
  if (issues.every(({ path }) => path === 'fernetKey')) {
    return failure('invalid_key', 'FISH_KEY is no Fernet key.', SET_KEY_ANEW, EXIT.credentials)
  }
  const onlyCredentials = told.every(({ exit }) => exit === EXIT.credentials)
  return failure(
    'usage',
    told.map(({ text }) => text).join(' '),
    onlyCredentials ? 'Correct it where it comes from: what was typed, or a FISH_… variable.' : hintOf(issues),
    onlyCredentials ? EXIT.credentials : EXIT.usage,
  )
}

function hintOf(issues: ValidationError['issues']): string | undefined {
  const [only] = issues
  return issues.length === 1 && only && Object.hasOwn(HINTS, only.path) ? HINTS[only.path] : undefined
}
