import type { Client } from '@fish-crab/sdk'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type PageContext, type Problem, problemOf } from '../../data/follow.ts'
import type { DayCount } from '../../data/profile.ts'
import { daysOf } from '../../data/species.ts'
import type { SpeciesName } from '../../data/species-list.ts'
import { speciesTexts as texts } from '../../texts/species.tsx'
import { ProblemNotice } from '../problem.tsx'

interface SpeciesDaysProps {
  readonly client: Client
  readonly context: PageContext
  readonly user: string
  /** The species in the spelling of the player. */
  readonly species: SpeciesName
  /** The number of catches in all of the gamemodes. */
  readonly count: number
  readonly gamemodes: readonly string[]
}

type Chart = typeof import('./history-chart.tsx').HistoryChart

interface Loaded {
  readonly Chart: Chart
  readonly days: readonly DayCount[]
  /** The number of catches of the species when they were loaded. */
  readonly count: number
}

const RETRY_MS = 10_000

/** The days on which a species was caught. The tallies do not hold them, so a button loads the catches. */
export function SpeciesDays({ client, context, user, species, count, gamemodes }: SpeciesDaysProps) {
  const { kind, name } = species
  const [loaded, setLoaded] = useState<Loaded>()
  const [problem, setProblem] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)
  const loading = useRef<AbortController>(null)
  useEffect(() => () => loading.current?.abort(), [])

  async function load(): Promise<void> {
    loading.current?.abort()
    const controller = new AbortController()
    loading.current = controller
    const { signal } = controller
    setBusy(true)
    setProblem(undefined)
    try {
      const chart = import('./history-chart.tsx')
      const lists = gamemodes.map((gamemode) => {
        const options = { user, gamemode, detail: 'full', signal } as const
        return kind === 'fish'
          ? client.fish.list(options).then(({ fish }) => fish)
          : client.crabs.list(options).then(({ crab }) => crab)
      })
      const entries = (await Promise.all(lists)).flat()
      const { HistoryChart } = await chart
      if (signal.aborted) return
      const days = daysOf(entries, name)
      setLoaded({ Chart: HistoryChart, days, count: days.reduce((sum, day) => sum + day.count, 0) })
    } catch (error) {
      if (!signal.aborted) setProblem(problemOf(error, context.isOnline(), context.now() + RETRY_MS))
    }
    if (!signal.aborted) setBusy(false)
  }

  const retry = useRef(load)
  retry.current = load
  useEffect(() => {
    if (!problem) return undefined
    if (problem.kind === 'offline') return context.onChange(() => context.isOnline() && void retry.current())
    const timer = setTimeout(() => void retry.current(), Math.max(0, problem.retryAt - context.now()))
    return () => clearTimeout(timer)
  }, [problem, context])

  return (
    <>
      {problem && <ProblemNotice problem={problem} updatedAt={undefined} onRetry={load} />}
      {loaded && <loaded.Chart days={loaded.days} />}
      {loaded?.count !== count && !problem && (
        <p>
          <button type="button" onClick={load} aria-busy={isBusy}>
            {isBusy ? texts.loadingDays : loaded ? texts.refresh : texts.days}
          </button>
        </p>
      )}
    </>
  )
}
