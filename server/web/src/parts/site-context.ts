import { GAMEMODES } from '@fish-crab/sdk/constants'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Site } from '../data/site.ts'

export const SiteContext = createContext<Site>({ gamemodes: GAMEMODES, hasLeaderboard: false })
export const useSite = () => useContext(SiteContext)
