import type { Stats } from '@fish-crab/sdk/admin'
import { GAMEMODES } from '@fish-crab/sdk/constants'
import { RARITY_ORDER } from '../../data/list.ts'
import { Drawing, shapeOf } from '../../parts/drawings.tsx'
import { formatNumber } from '../../parts/format.ts'
import { LoadNotice, useLoad } from '../parts/load.tsx'
import { Title, usePage } from '../parts/page.tsx'

/** What the service holds. */
export function Overview() {
  const { request } = usePage()
  const stats = useLoad('stats', () => request((client) => client.stats()))
  return (
    <>
      <Title
        actions={
          <button type="button" aria-disabled={stats.isBusy} onClick={stats.reload}>
            {stats.isBusy ? 'Counting…' : 'Count again'}
          </button>
        }
      >
        Overview
      </Title>
      <LoadNotice loaded={stats} what="the counts" />
      {stats.content && <Counts stats={stats.content} />}
    </>
  )
}

function Counts({ stats: { users, fish, crab } }: { readonly stats: Stats }) {
  const most = Math.max(1, ...Object.values(fish.byRarity))
  return (
    <>
      <dl class="totals three">
        {Object.entries({ Players: users, Fish: fish.total, Crabs: crab.total }).map(([label, count]) => (
          <div key={label} class="total">
            <dt>{label}</dt>
            <dd class="total-value">{formatNumber(count)}</dd>
          </div>
        ))}
      </dl>
      <div class="charts">
        <section class="panel" aria-labelledby="rarities">
          <h2 id="rarities">Fish by rarity</h2>
          <ul class="bars">
            {RARITY_ORDER.toReversed().map((rarity) => (
              <li key={rarity} class={`bar ${shapeOf(rarity)}`}>
                <Drawing shape={shapeOf(rarity)} />
                <span class="bar-label">{rarity}</span>
                <span class="bar-track" aria-hidden="true">
                  <span class="bar-fill" style={{ width: `${(fish.byRarity[rarity] / most) * 100}%` }} />
                </span>
                <span class="bar-count">{formatNumber(fish.byRarity[rarity])}</span>
              </li>
            ))}
          </ul>
        </section>
        <section class="panel" aria-labelledby="gamemodes">
          <h2 id="gamemodes">Catches by gamemode</h2>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Gamemode</th>
                <th scope="col" class="number">
                  Fish
                </th>
                <th scope="col" class="number">
                  Crabs
                </th>
              </tr>
            </thead>
            <tbody>
              {GAMEMODES.map((gamemode) => (
                <tr key={gamemode}>
                  <th scope="row">{gamemode}</th>
                  <td class="number">{formatNumber(fish.byGamemode[gamemode])}</td>
                  <td class="number">{formatNumber(crab.byGamemode[gamemode])}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
    </>
  )
}
