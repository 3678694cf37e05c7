import { useState } from 'preact/hooks'
import { formatNumber, plural } from '../../parts/format.ts'
import { ALL_PLAYERS, fragmentOf } from '../data/location.ts'
import { readPlayerFile } from '../data/player-file.ts'
import { Title, usePage } from '../parts/page.tsx'

const MAX_FILE_BYTES = 1024 * 1024
/** The number of wrong lines that the page names. */
const NAMED = 10

/** Reads a list of new players. */
export function ImportPlayers() {
  const { importPlayers } = usePage()
  const [text, setText] = useState('')
  const { players, problems } = readPlayerFile(text)
  return (
    <>
      <nav aria-label="Back">
        <a href={fragmentOf(ALL_PLAYERS)}>← All players</a>
      </nav>
      <Title>New players from a list</Title>
      <form
        class="panel form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (players.length > 0 && problems.length === 0) importPlayers(players)
        }}
      >
        <NamesField text={text} onText={setText} />
        <p role="status">{players.length > 0 && `${plural(players.length, 'player')} in the list`}</p>
        {problems.length > 0 && (
          <ul class="notice problem" role="alert">
            {problems.slice(0, NAMED).map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
            {problems.length > NAMED && <li>and {formatNumber(problems.length - NAMED)} more</li>}
          </ul>
        )}
        <div class="form-buttons">
          <button type="submit" class="primary" disabled={players.length === 0 || problems.length > 0}>
            Create {players.length === 0 ? 'the players' : plural(players.length, 'player')}
          </button>
        </div>
      </form>
    </>
  )
}

interface NamesFieldProps {
  readonly text: string
  readonly onText: (text: string) => void
}

function NamesField({ text, onText }: NamesFieldProps) {
  const [isOver, setOver] = useState(false)
  const [isTooLarge, setTooLarge] = useState(false)
  const read = async (file: File | undefined) => {
    if (!file) return
    const isLarge = file.size > MAX_FILE_BYTES
    setTooLarge(isLarge)
    if (!isLarge) onText(await file.text())
  }
  return (
    <div class="field">
      <label for="names">Names, one per line, or CSV with the header name,password</label>
      <textarea
        id="names"
        rows={10}
        class={isOver ? 'over' : undefined}
        value={text}
        spellcheck={false}
        autocapitalize="off"
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          setOver(false)
          if (!event.dataTransfer?.files[0]) return
          event.preventDefault()
          void read(event.dataTransfer.files[0])
        }}
      />
      <label class="hint">
        Choose a file:{' '}
        <input
          type="file"
          accept=".csv,.txt,text/csv,text/plain"
          onChange={({ currentTarget }) => read(currentTarget.files?.[0])}
        />
      </label>
      {isTooLarge && (
        <p class="notice problem" role="alert">
          The file is larger than 1 MiB. Split it.
        </p>
      )}
    </div>
  )
}
