import type { Client, RarityLabel } from '@fish-crab/sdk'
import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { type Collection, latestGamemode } from '../data/cabinet.ts'
import { matchGamemode, pageGamemodes } from '../data/gamemodes.ts'
import { loadPlayer } from '../data/load.ts'
import {
  defaultOptions,
  type OverlayOptions,
  overlayPath,
  PARTS,
  type Part,
  readAddress,
  THEMES,
} from '../data/overlay-options.ts'
import { publicUrl } from '../data/site.ts'
import { type Entry, type Kind, summarize, withEntries } from '../data/summary.ts'
import { firstItems, type Item, withFresh } from '../overlay/feed.ts'
import { OverlayView } from '../overlay/overlay-view.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Brand } from '../parts/creature.tsx'

const KINDS = { both: 'Fish and crabs', fish: 'Fish', crab: 'Crabs' } as const

/** Made up: the preview asks the server for nothing. */
const SAMPLE: Collection = {
  fish: summarize([
    { name: 'Salmon', rarity: 'Gold', caughtAt: '2026-01-02T00:00:00.000Z' },
    { name: 'Cod', rarity: 'Bronze', caughtAt: '2026-01-03T00:00:00.000Z' },
  ]),
  crab: summarize([{ name: 'Hermit crab', caughtAt: '2026-01-01T00:00:00.000Z' }]),
}

/** What the button of the preview catches, in turn. */
const CATCHES: readonly (Entry & { readonly kind: Kind })[] = [
  { kind: 'fish', name: 'Herring', rarity: 'Silver' satisfies RarityLabel },
  { kind: 'fish', name: 'Sturgeon', rarity: 'Diamond' },
  { kind: 'crab', name: 'Fiddler crab' },
  { kind: 'fish', name: 'Golden koi', rarity: 'Platinum' },
  { kind: 'fish', name: 'Leviathan', rarity: 'Mythical' },
]

/** The pause in typing after which the player is looked up. */
const TYPED_MS = 600

export function OverlaySetup({ client }: { readonly client: Client }) {
  const gamemodes = useMemo(pageGamemodes, [])
  const [name, setName] = useState('')
  const [options, setOptions] = useState<OverlayOptions>(() => defaultOptions(gamemodes))
  /** Whether somebody has chosen a gamemode. Otherwise it is that of the player's latest catch. */
  const [isChosen, setChosen] = useState(false)
  const [ignored, setIgnored] = useState<readonly string[]>([])
  const enter = (text: string) => {
    const overlay = readAddress(text, gamemodes)
    setName(overlay?.name ?? text)
    if (overlay) {
      setOptions(overlay.options)
      setChosen(true)
    }
    setIgnored(overlay?.ignored ?? [])
  }
  const change = (some: Partial<OverlayOptions>) => setOptions({ ...options, ...some })
  const wanted = name.trim().replace(/^@/, '')
  const isName = isUserName(wanted)
  useEffect(() => {
    if (!isName || isChosen) return undefined
    const changed = new AbortController()
    const { signal } = changed
    const preselect = async () => {
      const { cabinet } = await loadPlayer(wanted)(client, signal)
      const gamemode = matchGamemode(gamemodes, latestGamemode(cabinet))
      if (gamemode) setOptions((before) => ({ ...before, gamemode }))
    }
    // Overlays are set up before the player is, and without the server: then the gamemode stays.
    const timer = setTimeout(() => preselect().catch(() => {}), TYPED_MS)
    return () => {
      clearTimeout(timer)
      changed.abort()
    }
  }, [client, gamemodes, wanted, isName, isChosen])
  const address = isName ? new URL(overlayPath(wanted, options), publicUrl()).href : ''
  const togglePart = (part: Part) => {
    const parts = (Object.keys(PARTS) as Part[]).filter((one) => options.parts.includes(one) !== (one === part))
    if (parts.length > 0) change({ parts })
  }
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="site">
        <Brand />
      </header>
      <main class="site" id="content" tabIndex={-1}>
        <h1>Stream overlay</h1>
        <p class="lead">
          Shows what you catch on your stream as it happens. Choose how it looks, then add its address to your streaming
          software as a browser source.
        </p>
        <div class="setup">
          <form class="panel choices" onSubmit={(event) => event.preventDefault()}>
            <label class="player">
              <span>Player</span>
              <input
                type="text"
                autocomplete="off"
                autocapitalize="off"
                spellcheck={false}
                placeholder="Alex"
                value={name}
                aria-invalid={wanted !== '' && !isName}
                aria-describedby="name-mistake name-hint"
                onInput={(event) => enter(event.currentTarget.value)}
              />
            </label>
            <p id="name-hint" class="quiet">
              Or paste the address of an overlay, to change it.
            </p>
            <p id="name-mistake" class="mistake" role="alert">
              {wanted !== '' && !isName && `A name must be ${USER_NAME_RULE}.`}
            </p>
            <p class="mistake" role="status">
              {ignored.length > 0 && `The overlay ignores what it does not know: ${ignored.join(', ')}.`}
            </p>
            <Choice legend="Gamemode">
              {gamemodes.map((gamemode) => (
                <Radio
                  key={gamemode}
                  name="gamemode"
                  label={gamemode}
                  isChecked={options.gamemode === gamemode}
                  onCheck={() => {
                    change({ gamemode })
                    setChosen(true)
                  }}
                />
              ))}
            </Choice>
            <Choice legend="Catches">
              {Object.entries(KINDS).map(([kind, label]) => (
                <Radio
                  key={kind}
                  name="kind"
                  label={label}
                  isChecked={(options.kind ?? 'both') === kind}
                  onCheck={() => change({ kind: kind === 'both' ? undefined : (kind as Kind) })}
                />
              ))}
            </Choice>
            <Choice legend="Show">
              {(Object.keys(PARTS) as Part[]).map((part) => (
                <label key={part}>
                  <input type="checkbox" checked={options.parts.includes(part)} onChange={() => togglePart(part)} />
                  {PARTS[part]}
                </label>
              ))}
            </Choice>
            <Choice legend="Look">
              {Object.entries(THEMES).map(([theme, label]) => (
                <Radio
                  key={theme}
                  name="theme"
                  label={label}
                  isChecked={options.theme === theme}
                  onCheck={() => change({ theme: theme as keyof typeof THEMES })}
                />
              ))}
            </Choice>
          </form>
          <Preview key={options.kind} options={options} />
        </div>
        <section class="panel address" aria-labelledby="address">
          <h2 id="address">Address of your overlay</h2>
          {isName ? (
            <div class="field-row">
              <input type="text" readOnly value={address} aria-labelledby="address" />
              <CopyButton text={address} label="Copy address" />
            </div>
          ) : (
            <p class="quiet">Enter your player name above.</p>
          )}
          <ol>
            <li>In your streaming software, add a browser source.</li>
            <li>Paste the address. 600 × 500 is a good size; the background is transparent.</li>
            <li>Catch something. The overlay reconnects by itself, also after a restart of the server.</li>
          </ol>
        </section>
      </main>
      <footer class="site">
        <a href="/docs">API reference</a>
      </footer>
    </>
  )
}

interface ChoiceProps {
  readonly legend: string
  readonly children: ComponentChildren
}

function Choice({ legend, children }: ChoiceProps) {
  return (
    <fieldset class="choice">
      <legend>{legend}</legend>
      {children}
    </fieldset>
  )
}

interface RadioProps {
  readonly name: string
  readonly label: string
  readonly isChecked: boolean
  readonly onCheck: () => void
}

function Radio({ name, label, isChecked, onCheck }: RadioProps) {
  return (
    <label>
      <input type="radio" name={name} checked={isChecked} onChange={onCheck} />
      {label}
    </label>
  )
}

interface PreviewState {
  readonly collection: Collection
  readonly items: readonly Item[]
  readonly caught: number
}

function Preview({ options }: { readonly options: OverlayOptions }) {
  const { kind } = options
  const [{ collection, items, caught }, setState] = useState<PreviewState>(() => {
    return { collection: SAMPLE, items: firstItems(SAMPLE, kind), caught: 0 }
  })
  const some = CATCHES.filter((one) => kind === undefined || one.kind === kind)
  const catchOne = () => {
    const entry = some[caught % some.length] as (typeof CATCHES)[number]
    setState({
      collection: { ...collection, [entry.kind]: withEntries(collection[entry.kind], [entry]) },
      items: withFresh(items, [{ ...entry, gamemode: options.gamemode, count: 1, added: 1 }], kind),
      caught: caught + 1,
    })
  }
  return (
    <section class="preview" aria-labelledby="preview">
      <div class="preview-head">
        <h2 id="preview">Preview</h2>
        <button type="button" onClick={catchOne}>
          Catch something
        </button>
      </div>
      <div class="scene">
        <OverlayView options={options} collection={collection} items={items} />
      </div>
    </section>
  )
}
