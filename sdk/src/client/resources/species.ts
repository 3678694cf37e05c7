import type { Gamemode } from '../../contract/gamemodes.ts'
import { FURTHER_ROUTES } from '../../contract/routes.ts'
import type { KnownSpecies } from '../../contract/schemas.ts'
import { CALL_OPTIONS, type CallOptions, type Settings } from '../core/options.ts'
import { knownSpeciesShape } from '../shapes/on-demand.generated.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import type { Transport } from '../transport/response.ts'
import { gamemodeIssue } from './target.ts'

/** Options of `species`. */
interface SpeciesOptions extends CallOptions {
  /** @default all gamemodes together */
  readonly gamemode?: Gamemode | undefined
}

/** Reads the species that players have caught. */
export type GetSpecies = (options?: SpeciesOptions) => ApiPromise<KnownSpecies & ResponseMeta>

export function getSpecies(
  transport: Transport,
  { knownGamemodes }: Pick<Settings, 'knownGamemodes'>,
  options: SpeciesOptions = {},
): ApiPromise<KnownSpecies & ResponseMeta> {
  return call(transport, {
    options,
    known: { ...CALL_OPTIONS, gamemode: 1 },
    shape: knownSpeciesShape,
    prepare: () => {
      const { gamemode } = options
      return {
        route: FURTHER_ROUTES.getSpecies,
        query: { gamemode },
        issues: [gamemode !== undefined && gamemodeIssue(gamemode, 'gamemode', knownGamemodes)],
      }
    },
  })
}
