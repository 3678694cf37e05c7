import type { UserList } from '@fish-crab/sdk/admin'
import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatDate, formatDateTime, formatNumber, plural } from '../../parts/format.ts'
import { fragmentOf, playerView } from '../data/location.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Field, Form } from '../parts/form.tsx'
import { LoadNotice, useLoad } from '../parts/load.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { openView, replaceView, Title, usePage } from '../parts/page.tsx'

const PAGE = 50
/** Delay between the last keystroke and the search. An administrator has 300 requests in five minutes. */
const PAUSE_MS = 250

interface Found {
  readonly users: UserList['users']
  readonly cursor?: string | undefined
}

export function Players({ search }: { readonly search: string }) {
  const { request } = usePage()
  const [isCreating, setCreating] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const field = useRef<HTMLElement>(null)
  useEffect(() => {
    const input = field.current?.querySelector('input')
    if (input && input !== document.activeElement) input.value = search
  }, [search])

  const read = async (cursor?: string): Promise<Found> => {
    const { users, nextCursor } = await request((client) =>
      client.users.list({
        limit: PAGE,
        totals: true,
        ...(search === '' ? {} : { search }),
        ...(cursor === undefined ? {} : { cursor }),
      }),
    )
    return { users, cursor: nextCursor }
  }
  const players = useLoad(`players ${search}`, () => read())
  const { content } = players

  const find = (text: string) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => replaceView({ name: 'players', search: text }), PAUSE_MS)
  }
  return (
    <>
      <Title
        actions={
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            New player
          </button>
        }
      >
        Players
      </Title>
      <search class="toolbar" ref={field}>
        <Field
          name="search"
          label="Find a player"
          type="search"
          value={search}
          maxLength={32}
          onInput={(text) => find(text.trim())}
        />
      </search>
      <LoadNotice loaded={players} what="the players" />
      {content && (
        <>
          <p class="found" role="status">
            {content.users.length === 0
              ? search === ''
                ? 'There are no players yet.'
                : `No name contains “${search}”.`
              : `${content.cursor === undefined ? '' : 'The first '}${plural(content.users.length, 'player')}`}
          </p>
          {content.users.length > 0 && (
            <table class="panel table players">
              <thead>
                <tr>
                  <th scope="col">Player</th>
                  <th scope="col" class="number">
                    Fish
                  </th>
                  <th scope="col" class="number">
                    Crabs
                  </th>
                  <th scope="col">Latest catch</th>
                  <th scope="col" class="when">
                    Created
                  </th>
                </tr>
              </thead>
              <tbody>
                {content.users.map(({ id, name, createdAt, totals, lastCatch }) => (
                  <tr key={id}>
                    <th scope="row">
                      <a href={fragmentOf(playerView(name))}>{name}</a>
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
                ))}
              </tbody>
            </table>
          )}
          {content.cursor !== undefined && (
            <MoreButton
              label="Show more players"
              load={async () => {
                const more = await read(content.cursor)
                players.set({ users: [...content.users, ...more.users], cursor: more.cursor })
              }}
            />
          )}
        </>
      )}
      {isCreating && <NewPlayer onClose={() => setCreating(false)} />}
    </>
  )
}

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
