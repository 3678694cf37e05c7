import type { Gamemode } from '@fish-crab/sdk/constants'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { indexOf, type KnownIndex, type KnownList, loadKnownSpecies } from '../../data/known-species.ts'
import type { Services } from '../services.ts'

interface KnownSpeciesOptions {
  /** @default all */
  readonly gamemode: Gamemode | undefined
  readonly isWanted: boolean
}

/** Loads the known species after the first view. */
export function useKnownSpecies(
  { client, context }: Services,
  { gamemode, isWanted }: KnownSpeciesOptions,
): { readonly known: KnownIndex | undefined; readonly isLoading: boolean } {
  const [loaded, setLoaded] = useState<{
    readonly gamemode: Gamemode | undefined
    readonly list: KnownList | undefined
  }>()
  useEffect(() => {
    if (!isWanted) return undefined
    const left = new AbortController()
    const { signal } = left
    loadKnownSpecies(client, { gamemode, now: context.now(), signal }).then((list) => {
      if (!signal.aborted) setLoaded({ gamemode, list })
    })
    return () => left.abort()
  }, [client, context, gamemode, isWanted])
  const isLoaded = loaded?.gamemode === gamemode && loaded !== undefined
  const list = isLoaded ? loaded.list : undefined
  return { known: useMemo(() => indexOf(list), [list]), isLoading: isWanted && !isLoaded }
}
