import { useState } from 'preact/hooks'
import type { PageData, Versus } from '../../../src/page-data.ts'
import { readVersusPart, versusPath } from '../data/address.ts'
import { Home } from './home.tsx'
import { ClosedLeaderboard, LeaderboardPage } from './leaderboard.tsx'
import { MonthPage } from './month.tsx'
import { UndrawnPage } from './undrawn.tsx'
import { SamePlayer, VersusPage } from './versus.tsx'

/** The data of the pages whose code the page of a player does not load. */
type DrawnData = Exclude<PageData, { readonly view: 'player' | 'demo' | 'missing' }>

interface DrawnViewProps {
  readonly data: DrawnData
  /** The query of the address. */
  readonly search: string
}

/** A page that only the server can draw first. */
export function DrawnView({ data, search }: DrawnViewProps) {
  switch (data.view) {
    case 'home':
      return <Home leaders={data.leaders} />
    case 'leaderboard':
      return <LeaderboardPage drawn={data} />
    case 'closed':
      return <ClosedLeaderboard />
    case 'versus':
      return <Comparison drawn={data} search={search} />
    case 'same':
      return <SamePlayer user={data.user} />
    case 'month':
      return <MonthPage {...data} />
    case 'problem':
      return <UndrawnPage {...data} />
  }
}

function Comparison({ drawn, search }: { readonly drawn: Versus; readonly search: string }) {
  const [part, setPart] = useState(() => readVersusPart(search))
  return (
    <VersusPage
      drawn={drawn}
      part={part}
      onPart={(next) => {
        const [one, other] = drawn.players
        history.replaceState(history.state, '', versusPath(one.user, other.user, next))
        setPart(next)
      }}
    />
  )
}
