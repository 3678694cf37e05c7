import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { memo } from 'preact/compat'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { formatDate, formatDateTime, formatNumber, plural } from '../../parts/format.ts'
import { fragmentOf, playerView, type View } from '../data/location.ts'
import {
  DEFAULT_SORT,
  type ListedPlayer,
  MAX_SORTED,
  nextSort,
  type PlayerColumn,
  type PlayerList,
  readPlayers,
  sortPlayers,
  stateOf,
} from '../data/player-list.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Field, Form } from '../parts/form.tsx'
import { LoadNotice, useLoad } from '../parts/load.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { type LastList, openView, replaceView, Title, usePage } from '../parts/page.tsx'
import { SearchField } from '../parts/search-field.tsx'

/** The largest page of the service with totals. */
const PAGE = 50

type PlayersView = Extract<View, { readonly name: 'players' }>

export function Players({ view }: { readonly view: PlayersView }) {
  const { request, lastList } = usePage()
  const { search, sort } = view
  const fragment = fragmentOf(view)
  const [isCreating, setCreating] = useState(false)
  const [progress, setProgress] = useState(0)
  const isSorted = sort !== DEFAULT_SORT
  const key = `players ${isSorted} ${search}`
  // The list that a return to this view shows at once, until the same rows are read again.
  const [last] = useState(() => (lastList.current?.fragment === fragment ? { ...lastList.current, key } : undefined))

  const read = (cursor: string | undefined) =>
    request((client) =>
      client.users.list({
        limit: PAGE,
        totals: true,
        ...(search === '' ? {} : { search }),
        ...(cursor === undefined ? {} : { cursor }),
      }),
    )
  const players = useLoad<PlayerList>(
    key,
    () => {
      setProgress(0)
      const count = last?.key === key ? last.list.players.length : PAGE
      return readPlayers(read, isSorted ? MAX_SORTED : count, undefined, setProgress)
    },
    last?.list,
  )
  const { content } = players
  const rows = useMemo(() => sortPlayers(content?.players ?? [], sort), [content, sort])

  const currentList = useRef<Omit<LastList, 'scroll'> | undefined>(undefined)
  currentList.current = content && { fragment, list: content }
  useLayoutEffect(() => {
    if (last) scrollTo(0, last.scroll)
    return () => {
      lastList.current = currentList.current && { ...currentList.current, scroll: scrollY }
    }
  }, [last, lastList])

  const header = (column: PlayerColumn, text: string, className?: string) => (
    <SortHeader column={column} text={text} className={className} view={view} />
  )
  return (
    <>
      <Title
        actions={
          <>
            <button type="button" class="primary" onClick={() => setCreating(true)}>
              New player
            </button>
            <a class="button" href={fragmentOf({ name: 'import' })}>
              New players from a list
            </a>
            <a class="button" href={fragmentOf({ name: 'invitations' })}>
              Invitations
            </a>
          </>
        }
      >
        Players
      </Title>
      <search class="toolbar">
        <SearchField
          label="Find a player"
          value={search}
          maxLength={32}
          onSearch={(text) => replaceView({ ...view, search: text })}
        />
      </search>
      {!content && players.isBusy && progress > 0 && (
        <p class="found">Loaded {plural(progress, 'player')} to sort them…</p>
      )}
      <LoadNotice loaded={players} what="the players" />
      {content && (
        <>
          <p class="found" role="status">
            {rows.length === 0
              ? search === ''
                ? 'There are no players yet.'
                : `No name contains “${search}”.`
              : `${content.cursor === undefined ? '' : 'The first '}${plural(rows.length, 'player')}`}
            {isSorted &&
              content.cursor !== undefined &&
              ' by name are sorted. The service has more: search, or show more.'}
          </p>
          {rows.length > 0 && (
            <table class="panel table players">
              <thead>
                <tr>
                  {header('name', 'Player')}
                  {header('fish', 'Fish', 'number')}
                  {header('crabs', 'Crabs', 'number')}
                  {header('latest', 'Latest catch')}
                  {header('created', 'Created', 'when')}
                </tr>
              </thead>
              <tbody>
                {rows.map((player) => (
                  <Row key={player.id} player={player} />
                ))}
              </tbody>
            </table>
          )}
          {content.cursor !== undefined && (
            <MoreButton
              label="Show more players"
              load={async () => {
                const { length } = content.players
                players.set(await readPlayers(read, length + (isSorted ? MAX_SORTED : PAGE), content))
              }}
            />
          )}
        </>
      )}
      {isCreating && <NewPlayer onClose={() => setCreating(false)} />}
    </>
  )
}

interface SortHeaderProps {
  readonly column: PlayerColumn
  readonly text: string
  readonly className: string | undefined
  readonly view: PlayersView
}

/** The header of a column, which sorts by the column. */
function SortHeader({ column, text, className, view }: SortHeaderProps) {
  const order = view.sort === column ? 'ascending' : view.sort === `-${column}` ? 'descending' : undefined
  return (
    <th scope="col" class={className} aria-sort={order}>
      <button type="button" class="sort" onClick={() => replaceView({ ...view, sort: nextSort(view.sort, column) })}>
        {text}
        <span aria-hidden="true">{order === undefined ? '' : order === 'ascending' ? ' ▲' : ' ▼'}</span>
      </button>
    </th>
  )
}

/** Memoized, because the list may have a thousand rows. */
const Row = memo(({ player: { name, createdAt, totals, lastCatch, ...flags } }: { readonly player: ListedPlayer }) => {
  const state = stateOf(flags)
  return (
    <tr>
      <th scope="row">
        <a href={fragmentOf(playerView(name))}>{name}</a>
        {state !== undefined && <span class="quiet"> · {state}</span>}
      </th>
      <td class="number">{totals ? formatNumber(totals.fish) : '–'}</td>
      <td class="number">{totals ? formatNumber(totals.crab) : '–'}</td>
      <td>
        {lastCatch ? (
          <time dateTime={lastCatch.at} title={formatDateTime(lastCatch.at)}>
            {formatDate(lastCatch.at)}
          </time>
        ) : (
          '–'
        )}
      </td>
      <td class="when">
        <time dateTime={createdAt} title={formatDateTime(createdAt)}>
          {formatDate(createdAt)}
        </time>
      </td>
    </tr>
  )
})

function NewPlayer({ onClose }: { readonly onClose: () => void }) {
  const { request, reveal, announce } = usePage()
  return (
    <Dialog title="New player" onEscape={onClose}>
      <p class="quiet">The service creates a password, a Fernet key and an API key, and shows them once.</p>
      <Form
        submit="Create"
        busy="Creating…"
        check={({ name = '' }) => ({
          name: isUserName(name.trim()) ? undefined : `A name must be ${USER_NAME_RULE}.`,
        })}
        ifUnknown="Check the list of players. If the player is there, its secrets are lost: replace them."
        onSubmit={async ({ name = '' }) => {
          const user = await request((client) => client.users.create({ name: name.trim() }))
          onClose()
          openView(playerView(user.name))
          const { password, fernetKey, apiKey } = user
          reveal(user.name, { password, fernetKey, apiKey })
          announce(`Created ${user.name}.`)
        }}
        onCancel={onClose}
      >
        <Field name="name" label="Name" maxLength={32} isFirst hint={`${USER_NAME_RULE}.`} />
      </Form>
    </Dialog>
  )
}
