import { useState } from 'preact/hooks'
import { Bar } from '../../parts/bar.tsx'
import { formatNumber, plural } from '../../parts/format.ts'
import { fragmentOf, playerView, type View } from '../data/location.ts'
import { Choice } from '../parts/form.tsx'
import { LoadNotice, useLoad } from '../parts/load.tsx'
import { replaceView, Title, usePage } from '../parts/page.tsx'

const KINDS = [
  ['fish', 'Fish'],
  ['crab', 'Crabs'],
] as const
const LIMITS = ['10', '100', '1000'] as const

type LeaderboardView = Extract<View, { readonly name: 'leaderboard' }>

/** The players with the most catches. */
export function Leaderboard({ view }: { readonly view: LeaderboardView }) {
  const { request, gamemodes } = usePage()
  const { kind, gamemode } = view
  const [limit, setLimit] = useState<(typeof LIMITS)[number]>('10')
  const loaded = useLoad(`leaderboard ${kind} ${gamemode} ${limit}`, () =>
    request((client) =>
      client.leaderboard({ type: kind, limit: Number(limit), ...(gamemode === undefined ? {} : { gamemode }) }),
    ),
  )
  const leaders = loaded.content?.leaderboard
  const most = leaders?.[0]?.count ?? 1
  return (
    <>
      <Title>Leaderboard</Title>
      <div class="toolbar">
        <Choice
          label="Count"
          value={kind}
          options={KINDS}
          onChange={(value) => replaceView({ ...view, kind: value })}
        />
        <Choice
          label="Gamemode"
          value={gamemode ?? ''}
          options={[['', 'All'], ...gamemodes.map((one) => [one, one] as const)]}
          onChange={(value) => replaceView({ ...view, gamemode: value === '' ? undefined : value })}
        />
        <Choice label="Places" value={limit} options={LIMITS.map((one) => [one, one] as const)} onChange={setLimit} />
      </div>
      <LoadNotice loaded={loaded} what="the leaderboard" />
      {leaders && (
        <p class="found" role="status">
          {leaders.length === 0 ? 'There are no catches yet.' : plural(leaders.length, 'player')}
        </p>
      )}
      {leaders && leaders.length > 0 && (
        <table class="panel table leaders">
          <thead>
            <tr>
              <th scope="col" class="number">
                Place
              </th>
              <th scope="col">Player</th>
              <th scope="col" class="number">
                {kind === 'fish' ? 'Fish' : 'Crabs'}
              </th>
              <td class="share" />
            </tr>
          </thead>
          <tbody>
            {leaders.map(({ name, count }) => (
              <tr key={name}>
                <td class="number">{1 + leaders.findIndex((other) => other.count === count)}</td>
                <th scope="row">
                  <a href={fragmentOf(playerView(name))}>{name}</a>
                </th>
                <td class="number">{formatNumber(count)}</td>
                <td class="share" aria-hidden="true">
                  <Bar percent={(count / most) * 100} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}
