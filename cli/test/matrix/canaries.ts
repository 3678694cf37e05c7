import { writtenForms } from '../../../scripts/test-support/written-forms.ts'

/**
 * A secret of each kind that a run has or gets, none of them used anywhere else. They hold what is written otherwise in
 * URLs, JSON and base64. The words of each begin with {@link MARK}.
 */
export const SECRETS = {
  password: 'canary player "pass\\w/rd" + 100% & ö',
  adminPassword: 'canary admin "pass\\w/rd" + 100% & ö',
  newAdminPassword: 'canary new "pass\\w/rd" + 100% & ö',
  fernetKey: Buffer.from('canary>>>???-fernet-key-32-bytes').toString('base64'),
  apiKey: 'fck_canary"api\\key/+100%&more',
  masterKey: 'canary"master\\key/+100%&more',
  jwtSecret: 'canary "jwt\\secret" /+100% & more than 32 characters',
  secret: 'canary "seal\\secret" /+100% & more than 32 characters',
  previousSecret: 'canary "older\\secret" /+100% & more than 32 characters',
} as const

/** The name of one of {@link SECRETS}. */
export type SecretName = keyof typeof SECRETS

/** In every secret and nowhere else, so that parts of one are found too. */
export const MARK = 'canary'

// What a session of an administrator looks like (RFC 7515), a Fernet key, and an API key: those that a run is given.
const SHAPES: Readonly<Record<string, RegExp>> = {
  session: /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/,
  'made Fernet key': /(?<![\w+/-])[\w+/-]{43}=(?!=)/,
  'made API key': /fck_[\w-]{16,}/,
}

const FORMS = (Object.keys(SECRETS) as SecretName[]).flatMap((name) =>
  writtenForms(SECRETS[name]).map((form) => ({ name, form })),
)

/** What of secrets a text holds, by name: never the secret itself, for a test's report is a log too. */
export function tracesIn(text: string, allowed: readonly (SecretName | 'new')[] = []): readonly string[] {
  const found = FORMS.filter(({ name, form }) => !allowed.includes(name) && text.includes(form)).map(({ name }) => name)
  const shaped = Object.keys(SHAPES).filter((name) => !allowed.includes('new') && SHAPES[name]?.test(text))
  const parts = allowed.length === 0 && text.toLowerCase().includes(MARK) ? ['a part of a secret'] : []
  return [...new Set([...found, ...shaped, ...parts])]
}
