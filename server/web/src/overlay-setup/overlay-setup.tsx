import { type Client, NotFoundError } from '@fish-crab/sdk'
import { type Gamemode, isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { pageGamemodes } from '../data/gamemodes.ts'
import {
  ignoredOptions,
  MAX_GOAL,
  type OverlayOptions,
  overlayPath,
  PARTS,
  type Part,
  readAddress,
  readOptions,
  sourceSize,
} from '../data/overlay-options.ts'
import { publicUrl } from '../data/site.ts'
import { RARITY_ORDER } from '../data/summary.ts'
import { Brand } from '../parts/brand.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { catchesTexts } from '../texts/catches.ts'
import { overlaySetupTexts as texts } from '../texts/overlay-setup.ts'
import { siteTexts } from '../texts/site.ts'
import { Preview } from './preview.tsx'

/** The value of the choice of all gamemodes, which is not the name of a gamemode. */
const ALL = ''

/** Delay between the last keystroke and the request for the player. */
const TYPED_MS = 600

interface OverlaySetupProps {
  readonly client: Client
  /** The query of the page, such as `?name=Alex&gamemode=earth`. */
  readonly search: string
}

export function OverlaySetup({ client, search }: OverlaySetupProps) {
  const gamemodes = useMemo(pageGamemodes, [])
  const query = useMemo(() => new URLSearchParams(search), [search])
  const [name, setName] = useState(query.get('name') ?? '')
  const [options, setOptions] = useState<OverlayOptions>(() => readOptions(search, gamemodes))
  const [ignored, setIgnored] = useState<readonly string[]>(() => {
    const others = new URLSearchParams(search)
    others.delete('name')
    return ignoredOptions(`${others}`, gamemodes)
  })
  /** The last name that was looked up and that no player has. */
  const [unknown, setUnknown] = useState<string>()
  const enter = (text: string) => {
    const overlay = readAddress(text, gamemodes)
    setName(overlay?.name ?? text)
    if (overlay) setOptions(overlay.options)
    setIgnored(overlay?.ignored ?? [])
  }
  const wanted = name.trim().replace(/^@/, '')
  const change = (some: Partial<OverlayOptions>) => setOptions({ ...options, ...some })
  const isName = isUserName(wanted)
  useEffect(() => {
    if (!isName) return undefined
    const changed = new AbortController()
    const { signal } = changed
    const lookUp = () =>
      client.profile({ user: wanted, signal }).then(
        () => setUnknown(undefined),
        (error: unknown) => {
          // Ignore other failures, because an overlay may be set up while the server is down.
          if (error instanceof NotFoundError && error.code === 'user_not_found') setUnknown(wanted)
        },
      )
    const timer = setTimeout(lookUp, TYPED_MS)
    return () => {
      clearTimeout(timer)
      changed.abort()
    }
  }, [client, wanted, isName])
  const isUnknown = unknown === wanted
  const address = isName ? new URL(overlayPath(wanted, options), publicUrl()).href : ''
  const { width, height } = sourceSize(options)
  const togglePart = (part: Part) => {
    const parts = PARTS.filter((one) => options.parts.includes(one) !== (one === part))
    if (parts.length > 0) change({ parts })
  }
  return (
    <>
      <a class="skip" href="#content">
        {siteTexts.skip}
      </a>
      <header class="site">
        <Brand />
      </header>
      <main class="site" id="content" tabIndex={-1}>
        <h1>{siteTexts.overlay}</h1>
        <p class="lead">{texts.lead}</p>
        <div class="setup">
          <form class="choices" onSubmit={(event) => event.preventDefault()}>
            <div class="panel">
              <label class="player">
                <span>{texts.player}</span>
                <input
                  type="text"
                  autocomplete="off"
                  autocapitalize="off"
                  spellcheck={false}
                  placeholder={texts.example}
                  value={name}
                  aria-invalid={wanted !== '' && !isName}
                  aria-describedby="name-mistake name-hint"
                  onInput={(event) => enter(event.currentTarget.value)}
                />
              </label>
              <p id="name-hint" class="quiet">
                {texts.paste}
              </p>
              <p id="name-mistake" class="mistake" role="alert">
                {wanted !== '' && !isName && texts.invalidName(USER_NAME_RULE)}
              </p>
              <p class="mistake" role="status">
                {ignored.length > 0 && texts.ignored(ignored)}
              </p>
              <Choice
                name="gamemode"
                values={
                  Object.fromEntries([[ALL, catchesTexts.all], ...gamemodes.map((one) => [one, one])]) as Record<
                    Gamemode | typeof ALL,
                    string
                  >
                }
                chosen={options.gamemode ?? ALL}
                onChoose={(gamemode) => change({ gamemode: gamemode === ALL ? undefined : gamemode })}
              />
              <Choice
                name="catches"
                values={texts.kinds}
                chosen={options.kind ?? 'both'}
                onChoose={(kind) =>
                  change(kind === 'crab' ? { kind, rarity: undefined } : { kind: kind === 'both' ? undefined : kind })
                }
              />
            </div>
            <div class="panel">
              <Choice name="mode" values={texts.modes} chosen={options.mode} onChoose={(mode) => change({ mode })} />
              <p class="quiet">{texts.modeHints[options.mode]}</p>
              {options.mode === 'feed' && (
                <fieldset class="choice">
                  <legend>{texts.legends.show}</legend>
                  {PARTS.map((part) => (
                    <label key={part}>
                      <input type="checkbox" checked={options.parts.includes(part)} onChange={() => togglePart(part)} />
                      {texts.parts[part]}
                    </label>
                  ))}
                </fieldset>
              )}
              {options.mode === 'goal' && <GoalFields options={options} onChange={change} />}
            </div>
            <div class="panel">
              <div class="look">
                <Choice
                  name="corner"
                  values={texts.corners}
                  chosen={options.corner}
                  onChoose={(corner) => change({ corner })}
                />
                <Choice name="size" values={texts.sizes} chosen={options.size} onChoose={(size) => change({ size })} />
                <Choice
                  name="theme"
                  values={texts.themes}
                  chosen={options.theme}
                  onChoose={(theme) => change({ theme })}
                />
              </div>
              <fieldset class="choice">
                <legend>{texts.legends.sound}</legend>
                <label>
                  <input
                    type="checkbox"
                    checked={options.hasSound}
                    onChange={() => change({ hasSound: !options.hasSound })}
                  />
                  {texts.chime}
                </label>
              </fieldset>
            </div>
          </form>
          <div class="result">
            <section class="panel address" aria-labelledby="address">
              <h2 id="address">{texts.address}</h2>
              {isUnknown ? (
                <p class="mistake unknown" role="alert">
                  {texts.unknown(wanted)}
                </p>
              ) : isName ? (
                <div class="field-row">
                  <input type="text" readOnly value={address} aria-labelledby="address" />
                  <CopyButton text={address} label={texts.copy} />
                </div>
              ) : (
                <p class="quiet">{texts.nameFirst}</p>
              )}
              <p class="quiet">{texts.source(width, height, texts.corners[options.corner])}</p>
            </section>
            <Preview
              key={`${options.mode} ${options.kind} ${options.goal} ${options.rarity} ${options.gamemode}`}
              options={options}
            />
          </div>
        </div>
      </main>
      <footer class="site">
        <a href="/docs">{siteTexts.docs}</a>
      </footer>
    </>
  )
}

interface ChoiceProps<Value extends string> {
  readonly name: keyof typeof texts.legends
  /** The label of each value. */
  readonly values: Readonly<Record<Value, string>>
  readonly chosen: Value
  readonly onChoose: (value: Value) => void
}

/** A choice between several values. */
function Choice<Value extends string>({ name, values, chosen, onChoose }: ChoiceProps<Value>) {
  return (
    <fieldset class={`choice ${name}`}>
      <legend>{texts.legends[name]}</legend>
      {(Object.keys(values) as Value[]).map((value) => (
        <label key={value}>
          <input type="radio" name={name} checked={chosen === value} onChange={() => onChoose(value)} />
          {values[value]}
        </label>
      ))}
    </fieldset>
  )
}

interface GoalFieldsProps {
  readonly options: OverlayOptions
  readonly onChange: (some: Partial<OverlayOptions>) => void
}

function GoalFields({ options: { goal, rarity, kind }, onChange }: GoalFieldsProps) {
  const isAll = rarity === undefined && kind === undefined
  return (
    <>
      <div class="goal-fields">
        <label>
          <span>{texts.goal}</span>
          <input
            type="number"
            min="1"
            max={MAX_GOAL}
            value={goal}
            onInput={({ currentTarget: { validity, valueAsNumber } }) => {
              if (validity.valid && Number.isInteger(valueAsNumber)) onChange({ goal: valueAsNumber })
            }}
          />
        </label>
        {kind !== 'crab' && (
          <label>
            <span>{texts.rarity}</span>
            <select
              value={rarity ?? ''}
              onChange={({ currentTarget: { value } }) =>
                onChange({ rarity: RARITY_ORDER.find((one) => one === value) })
              }
            >
              <option value="">{catchesTexts.all}</option>
              {RARITY_ORDER.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      <p class="quiet">{isAll ? texts.goalOfAll : texts.goalOfSome}</p>
    </>
  )
}
