import { writtenForms } from '../../../scripts/test-support/written-forms.ts'

/**
 * A unique secret of each kind that a run uses. The secrets contain characters that URLs, JSON and base64 encode. The
 * plain text of each secret contains {@link MARK}.
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

/** A mark that only secrets contain, so that a part of a secret is also found. */
export const MARK = 'canary'

// The formats of generated secrets: the session of an administrator (RFC 7515), a Fernet key and an API key.
const SHAPES: Readonly<Record<string, RegExp>> = {
  session: /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/,
  'made Fernet key': /(?<![\w+/-])[\w+/-]{43}=(?!=)/,
  'made API key': /fck_[\w-]{16,}/,
}

const FORMS = (Object.keys(SECRETS) as SecretName[]).flatMap((name) =>
  writtenForms(SECRETS[name]).map((form) => ({ name, form })),
)

/** Returns the names of the secrets in a text, but not their values, because a test report is a log too. */
export function tracesIn(text: string, allowed: readonly (SecretName | 'new')[] = []): readonly string[] {
  const found = FORMS.filter(({ name, form }) => !allowed.includes(name) && text.includes(form)).map(({ name }) => name)
  const shaped = Object.keys(SHAPES).filter((name) => !allowed.includes('new') && SHAPES[name]?.test(text))
  const parts = allowed.length === 0 && text.toLowerCase().includes(MARK) ? ['a part of a secret'] : []
  return [...new Set([...found, ...shaped, ...parts])]
}
