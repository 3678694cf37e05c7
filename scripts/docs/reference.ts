// Generates two pages of the reference: the API page from the OpenAPI document, and the page of error and exit codes
// from their tables.
import { ERROR_CODES, type ErrorCode } from '@fish-crab/sdk/constants'
import { expectedRefusal } from '../../cli/src/core/describe-error.ts'
import { EXIT, type ExitStatus } from '../../cli/src/core/errors.ts'
import { EXIT_MEANINGS } from '../../cli/src/program/help.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly required?: readonly string[]
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: Schema }[]
  readonly requestBody?: { readonly description?: string; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: { readonly Error: Schema } }
}

const GROUPS = {
  public: 'Players and readers',
  admin: 'Administrators',
  operations: 'Operators',
} as const

const CREDENTIALS: Readonly<Record<string, string>> = {
  '': 'None.',
  ',apiKey': 'None; an API key (`x-api-key`) lifts the rate limit.',
  basic: 'Name and password of the player (HTTP Basic).',
  session: 'Session of an administrator (`Authorization: Bearer …`).',
}

export function apiPage({ paths, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ title: `${method.toUpperCase()} ${path}`, ...operation })),
  )
  const groups = Object.entries(GROUPS).map(([tag, title]) => {
    const members = operations.filter(({ tags }) => tags.includes(tag))
    return [`## ${title}`, ...members.map(operationSection)].join('\n\n')
  })
  return page('API', [
    'Generated from the OpenAPI document, which a server serves at `/openapi.json`. Its page at `/docs` lets you try requests. ' +
      'Paths also work below `/v1`. Types are written as in TypeScript.',
    ...groups,
    '## Body of an error',
    code(shape(components.schemas.Error)),
    '[Errors and exit codes](errors.md) lists every `code`.',
  ])
}

function operationSection(operation: Operation & { readonly title: string }): string {
  const { title, summary, description, security, parameters, requestBody, responses } = operation
  const succeeded = Object.entries(responses).filter(([status]) => Number(status) < 300)
  const failed = Object.entries(responses).filter(([status]) => Number(status) >= 300)
  const credentials = security.map((one) => Object.keys(one).join()).join()
  return [
    `### ${title.replace(/[{}]/g, '\\$&')}`,
    `${summary}.`,
    ...(description === undefined ? [] : [description]),
    `**Credentials.** ${CREDENTIALS[credentials] ?? credentials}`,
    ...(parameters.length === 0
      ? []
      : [
          table(
            ['parameter', 'in', 'type', 'required'],
            parameters.map(({ name, schema, required, ...rest }) => [
              `\`${name}\``,
              rest.in,
              `\`${shape(schema)}\``,
              required ? 'yes' : 'no',
            ]),
          ),
        ]),
    ...(requestBody ? ['**Body.**', contents(requestBody.content, requestBody.description)] : []),
    ...succeeded.map(([status, response]) => `**Response ${status}.**\n\n${contents(response.content)}`),
    ...(failed.length === 0
      ? []
      : [
          table(
            ['status', 'reason'],
            failed.map(([status, response]) => [
              status,
              escapeMarkdown(response.description.replaceAll('\n\n', '<br>')),
            ]),
          ),
        ]),
  ].join('\n\n')
}

function contents(content: Content | undefined, description?: string): string {
  const parts = Object.entries(content ?? {}).map(([type, { schema }]) =>
    schema ? `\`${type}\`\n\n${code(shape(schema))}` : `\`${type}\``,
  )
  return [...parts, ...(description === undefined ? [] : [description])].join('\n\n') || 'No body.'
}

/** Converts a JSON Schema to a TypeScript type. */
function shape(schema: Schema, indent = ''): string {
  if (schema.$ref) return 'Error'
  if (schema.anyOf) return Array.from(new Set(schema.anyOf.map((one) => shape(one, indent)))).join(' | ')
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.items) return `Array<${shape(schema.items, indent)}>`
  if (schema.properties) {
    const inner = `${indent}  `
    const lines = Object.entries(schema.properties).map(
      ([name, value]) => `${inner}${name}${schema.required?.includes(name) ? '' : '?'}: ${shape(value, inner)}\n`,
    )
    return `{\n${lines.join('')}${indent}}`
  }
  if (typeof schema.additionalProperties === 'object') {
    return `Record<string, ${shape(schema.additionalProperties, indent)}>`
  }
  return [schema.type ?? 'unknown'].flat().join(' | ')
}

export function errorsPage(classes: string): string {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[]
  const meanings = Object.entries(EXIT_MEANINGS) as [keyof typeof EXIT, string][]
  const exits = meanings.map(([name, meaning]): [ExitStatus, string] => [EXIT[name], meaning])
  return page('Errors and exit codes', [
    '## Codes of the service',
    'An error response has a JSON body with a sentence in `error`, a stable name in `code`, and a `requestId`. ' +
      'The [API reference](api.md) lists the errors of each operation. The last two columns are for `fish-cli`.',
    table(
      ['code', 'status', 'default sentence', 'exit', 'hint'],
      codes.map((code) => {
        const { message, exit, hint } = expectedRefusal(code, 'player')
        return [
          `\`${code}\``,
          String(ERROR_CODES[code].status),
          escapeMarkdown(message),
          String(exit),
          escapeMarkdown(hint ?? ''),
        ]
      }),
    ),
    '## Classes of the SDK',
    classes,
    '## Exit codes of fish-cli',
    table(
      ['exit', 'meaning'],
      exits.map(([status, meaning]) => [String(status), escapeMarkdown(meaning)]),
    ),
    '[Commands](cli.md#errors-as-json) describes errors under `--json`.',
  ])
}

function page(title: string, blocks: readonly string[]): string {
  return `# ${title}\n\n${blocks.join('\n\n')}\n`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function code(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``
}

/** Escapes names in angle brackets, which Markdown would treat as HTML elements. */
function escapeMarkdown(text: string): string {
  return text.replace(/<(?!br>)/g, '&lt;')
}
