import type { Gamemode } from '../../contract/gamemodes.ts'
import type { Route } from '../../contract/routes.ts'
import type { OptionNames } from '../../errors/check-options.ts'
import type { Issue } from '../../errors/fish-crab-error.ts'
import { CALL_OPTIONS, type CallOptions } from '../core/call-options.ts'
import type { Settings } from '../core/options.ts'
import { noContentShape } from '../shapes/shape.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import type { Transport } from '../transport/response.ts'
import { basicCredentials } from './keys.ts'
import { gamemodeIssue, idIssue, resolveTarget, TARGET, type Target } from './target.ts'

/** Options of `remove`. `user` and `gamemode` are those of the record. @default those of the client */
export interface RemoveOptions extends CallOptions, Target {
  /** The password of the player. */
  readonly password: string
}

/** Options of `move`. */
export interface MoveOptions extends RemoveOptions {
  /** Another gamemode. */
  readonly to: Gamemode
}

interface ChangeContext {
  readonly transport: Transport
  readonly settings: Settings
  readonly route: Route
}

const REMOVE_OPTIONS: OptionNames<RemoveOptions> = { ...CALL_OPTIONS, ...TARGET, password: true }
const MOVE_OPTIONS: OptionNames<MoveOptions> = { ...REMOVE_OPTIONS, to: true }

export function removeRecord(context: ChangeContext, id: string, options: RemoveOptions): ApiPromise<ResponseMeta> {
  return change(context, id, options, REMOVE_OPTIONS, () => ({}))
}

export function moveRecord(context: ChangeContext, id: string, options: MoveOptions): ApiPromise<ResponseMeta> {
  return change(context, id, options, MOVE_OPTIONS, (issues) => {
    const wrong = gamemodeIssue(options.to, 'to', context.settings.knownGamemodes)
    if (wrong) issues.push(wrong)
    return { json: { gamemode: options.to } }
  })
}

function change(
  { transport, settings, route }: ChangeContext,
  id: string,
  options: RemoveOptions,
  known: OptionNames,
  body: (issues: Issue[]) => { readonly json?: unknown },
): ApiPromise<ResponseMeta> {
  return call(transport, {
    options,
    known,
    shape: noContentShape,
    prepare: () => {
      const issues: Issue[] = []
      const { user, gamemode } = resolveTarget(options, settings, issues)
      const json = body(issues)
      const headers = { authorization: basicCredentials(user, options.password, issues) }
      return { route, params: { id }, query: { gamemode }, headers, ...json, issues: [...issues, idIssue(id)] }
    },
  })
}
