import type { Stats } from '@fish-crab/sdk/admin'
import { useState } from 'preact/hooks'
import { formatNumber } from '../../parts/format.ts'
import { saveFile } from '../../parts/save-file.ts'
import { useLazy } from '../../parts/use-lazy.ts'
import { LoadNotice, useLoad } from '../parts/load.tsx'
import { Title, usePage } from '../parts/page.tsx'
import { ProblemText } from '../parts/problem-text.tsx'
import { useAdminTask } from '../parts/task.ts'
import { checkHealth, Health } from './health.tsx'

/** Loads the chart with its library. */
const loadBars = () => import('../../parts/rarity-bars.tsx')

interface OverviewProps {
  readonly isReady: () => Promise<boolean>
}

/** The counts and the health of the service. */
export function Overview({ isReady }: OverviewProps) {
  const { request, admin } = usePage()
  const stats = useLoad('stats', () => request((client) => client.stats()))
  const health = useLoad('health', () => checkHealth(isReady, request))
  const isBusy = stats.isBusy || health.isBusy
  const refresh = () => {
    if (isBusy) return
    stats.reload()
    health.reload()
  }
  return (
    <>
      <Title
        actions={
          <>
            <button type="button" aria-disabled={isBusy} onClick={refresh}>
              {isBusy ? 'Loading…' : 'Refresh'}
            </button>
            {admin.role === 'superadmin' && <Export />}
          </>
        }
      >
        Overview
      </Title>
      <LoadNotice loaded={stats} what="the counts" />
      {stats.content && <Counts stats={stats.content} />}
      <Health health={health} />
    </>
  )
}

/** Downloads all catches of all players. */
function Export() {
  const { request } = usePage()
  const { isBusy, problem, run } = useAdminTask()
  const [size, setSize] = useState(0)
  const download = () =>
    run(async () => {
      const parts: string[] = []
      await request(async (client) => {
        parts.length = 0
        setSize(0)
        for await (const part of client.export()) {
          parts.push(part)
          setSize((before) => before + part.length)
        }
      })
      saveFile('catches.csv', new Blob(parts, { type: 'text/csv' }))
    })
  return (
    <>
      <button type="button" aria-disabled={isBusy} onClick={download}>
        {isBusy ? `Exporting… ${formatNumber(Math.round(size / 1000))} KB` : 'Export all catches'}
      </button>
      {problem && <ProblemText problem={problem} />}
    </>
  )
}

function Counts({ stats: { users, fish, crab } }: { readonly stats: Stats }) {
  const bars = useLazy(loadBars)
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
          {bars === undefined ? (
            <div class="placeholder tall" />
          ) : bars === 'failed' ? (
            <p class="quiet">The chart could not be loaded. Reload the page to try again.</p>
          ) : (
            <bars.RarityBars counts={fish.byRarity} />
          )}
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
              {Object.entries(fish.byGamemode).map(([gamemode, count]) => (
                <tr key={gamemode}>
                  <th scope="row">{gamemode}</th>
                  <td class="number">{formatNumber(count)}</td>
                  <td class="number">{formatNumber(crab.byGamemode[gamemode] ?? 0)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
    </>
  )
}
