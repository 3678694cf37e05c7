import type { Gamemode } from '@fish-crab/sdk/constants'
import { useEffect, useRef } from 'preact/hooks'
import { playerPath } from '../../data/address.ts'
import { type PlayerProfile, totalOf } from '../../data/profile.ts'
import { formatNumber } from '../../parts/format.ts'
import { isPlainClick } from '../../parts/plain-click.ts'
import { catchesTexts as texts } from '../../texts/catches.ts'

interface TabsProps {
  readonly profile: PlayerProfile
  /** @default all */
  readonly gamemode: Gamemode | undefined
  readonly onGamemode: (gamemode: Gamemode | undefined) => void
}

interface Tab {
  readonly gamemode: Gamemode | undefined
  readonly total: number
}

/**
 * The tabs are links, so that each gamemode can be opened in a browser tab. A gamemode without catches has no tab
 * unless it is the current gamemode.
 */
export function Tabs({ profile, gamemode, onGamemode }: TabsProps) {
  const links = useRef<HTMLElement>(null)
  const gamemodes = profile.gamemodes
    .map((one): Tab => ({ gamemode: one.gamemode as Gamemode, total: totalOf(one) }))
    .filter((tab) => tab.total > 0 || tab.gamemode === gamemode)
  const tabs: readonly Tab[] = [
    { gamemode: undefined, total: gamemodes.reduce((sum, { total }) => sum + total, 0) },
    ...gamemodes,
  ]
  // A phone has no room for all tabs, so scroll to the current tab. `scrollIntoView` would also scroll the page.
  useEffect(() => {
    const row = links.current
    const current = row?.querySelector<HTMLElement>('[aria-current]')
    if (row && current)
      row.scrollLeft = current.offsetLeft - row.offsetLeft - (row.clientWidth - current.offsetWidth) / 2
  }, [gamemode, tabs.length])
  return (
    <nav class="tabs" aria-label={texts.gamemode} ref={links}>
      {tabs.map((tab) => (
        <a
          key={tab.gamemode ?? ''}
          href={playerPath(profile.user, tab.gamemode)}
          aria-current={tab.gamemode === gamemode ? 'page' : undefined}
          onClick={(event) => {
            if (!isPlainClick(event)) return
            event.preventDefault()
            onGamemode(tab.gamemode)
          }}
        >
          {tab.gamemode ?? texts.all} {formatNumber(tab.total)}
        </a>
      ))}
    </nav>
  )
}
