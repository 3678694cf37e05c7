import { EXIT } from './exit.ts'

/**
 * JSON Schema of what `--json` (and `-o json`) prints when a command fails: the one document on stdout. `fish-cli`
 * exports it, for programs that read it.
 */
export const FAILURE_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A failure of fish-cli',
  type: 'object',
  required: ['error'],
  additionalProperties: false,
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'hint', 'exit', 'requestId', 'retryAt'],
      additionalProperties: false,
      properties: {
        code: { type: 'string', pattern: '^[a-z][a-z0-9_]*$', description: 'Stable name of what went wrong.' },
        message: { type: 'string', minLength: 1, description: 'What happened, a sentence.' },
        hint: { type: ['string', 'null'], description: 'The next step to take.' },
        exit: { type: 'integer', enum: Object.values(EXIT), description: 'The exit status.' },
        requestId: { type: ['string', 'null'], description: "Names the request in the server's log." },
        retryAt: { type: ['string', 'null'], format: 'date-time', description: 'When to try again.' },
      },
    },
  },
} as const
