import { CALL_OPTIONS, type CallOptions, limitIssues } from '../client/core/options.ts'
import { gamemodeIssue } from '../client/resources/target.ts'
import type { Transport } from '../client/transport/response.ts'
import type { Gamemode } from '../contract/gamemodes.ts'
import { KINDS, type Kind } from '../contract/kinds.ts'
import { ADMIN_ROUTES } from '../contract/routes.ts'
import { optionIssues } from '../errors/check-options.ts'
import { throwIssues } from '../errors/fish-crab-error.ts'
import { choiceIssue } from './checks.ts'
import { readText } from './lines.ts'

/** Options of `export`. */
export interface ExportOptions extends CallOptions {
  /** @default fish and crabs */
  readonly kind?: Kind | undefined
  /** @default all gamemodes */
  readonly gamemode?: Gamemode | undefined
  /** `jsonl`: one JSON object per line. @default csv */
  readonly format?: 'csv' | 'jsonl' | undefined
}

export async function* exportCatches(
  transport: Transport,
  options: ExportOptions,
): AsyncGenerator<string, void, undefined> {
  const { kind, gamemode, format, signal } = options
  throwIssues(
    [
      ...optionIssues(options, { ...CALL_OPTIONS, kind: 1, gamemode: 1, format: 1 }),
      ...limitIssues(options),
      kind === undefined ? undefined : choiceIssue(kind, KINDS, 'kind'),
      gamemode === undefined ? undefined : gamemodeIssue(gamemode),
      format === undefined ? undefined : choiceIssue(format, ['csv', 'jsonl'], 'format'),
    ].filter((issue) => issue !== undefined),
  )
  let body: ReadableStream<Uint8Array> | null = null
  await transport({
    route: ADMIN_ROUTES.exportCatches,
    query: { kind, gamemode, format },
    options,
    onStream: (opened) => {
      body = opened
    },
  })
  yield* readText(body, signal)
}
