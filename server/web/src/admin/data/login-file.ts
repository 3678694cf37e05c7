import type { CreatedUser } from '@fish-crab/sdk/admin'

/** The secrets of a player that were just made. */
export type Secrets = { readonly [Name in 'password' | 'fernetKey' | 'apiKey']?: CreatedUser[Name] | undefined }

const VARIABLES = { password: 'FISH_PASSWORD', fernetKey: 'FISH_KEY', apiKey: 'FISH_API_KEY' } as const

/**
 * The variables that `fish-cli` and `createClient` read, one a line, as shells, `node --env-file` and systemd take them.
 * Names and generated secrets contain nothing that would need quotation marks.
 */
export function loginFile(url: string, user: string, secrets: Secrets): string {
  const lines = Object.entries(VARIABLES).flatMap(([field, variable]) => {
    const value = secrets[field as keyof Secrets]
    return value === undefined ? [] : [`${variable}=${value}`]
  })
  return [
    '# The login of a player, for fish-cli and @fish-crab/sdk. Keep it secret.',
    `FISH_URL=${url}`,
    `FISH_USER=${user}`,
    ...lines,
    '',
  ].join('\n')
}
