import type { AuditAction, AuditEntry } from '@fish-crab/sdk/admin'
import { useState } from 'preact/hooks'
import { formatDateTime, plural } from '../../parts/format.ts'
import { AUDIT_ACTIONS, type AuditFilter, searchAudit } from '../data/audit.ts'
import { fragmentOf, playerView } from '../data/location.ts'
import { Choice, Field, Form } from '../parts/form.tsx'
import { LoadNotice, useLoad } from '../parts/load.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { replaceView, Title, usePage } from '../parts/page.tsx'

const OPTIONS: readonly (readonly [AuditAction | '', string])[] = [
  ['', 'All'],
  ...(Object.entries(AUDIT_ACTIONS) as [AuditAction, string][]).map(
    ([action, text]) => [action, text.replace(/ (of|for)$/, '')] as const,
  ),
]
/** Actions whose subject is a player that may still have a view. The deletion of a player is excluded. */
const ON_PLAYERS = /^(user\.(create|reset)|key|fish|crab)/

/** The audit log, newest entry first. */
export function Audit({ filter }: { readonly filter: AuditFilter }) {
  const { request } = usePage()
  const read = (options: { limit: number; cursor?: string }) => request((client) => client.audit.list(options))
  const { text, action, since } = filter
  const found = useLoad(`audit ${action} ${since} ${text}`, () => searchAudit(read, filter))
  const { content } = found
  const [showsIds, setShowsIds] = useState(false)
  return (
    <>
      <Title>Audit log</Title>
      <search>
        <Form
          submit="Show"
          busy="Searching…"
          onSubmit={async (values) =>
            replaceView({
              name: 'audit',
              filter: {
                text: values.text?.trim() ?? '',
                action: values.action === '' ? undefined : (values.action as AuditAction),
                since: values.since ?? '',
              },
            })
          }
        >
          <Field name="text" label="Name, address or request id" type="search" value={text} maxLength={64} />
          <Choice name="action" label="Action" value={action ?? ''} options={OPTIONS} />
          <Field name="since" label="Since" type="date" value={since} />
        </Form>
      </search>
      <LoadNotice loaded={found} what="the audit log" />
      {content && (
        <>
          <p class="found" role="status">
            {content.entries.length === 0 ? 'Nothing found' : plural(content.entries.length, 'entry', 'entries')}
            {content.cursor !== undefined &&
              content.searchedBackTo !== undefined &&
              `, back to ${formatDateTime(content.searchedBackTo)}`}
          </p>
          {content.entries.length > 0 && (
            <>
              <button type="button" onClick={() => setShowsIds(!showsIds)}>
                {showsIds ? 'Hide request ids' : 'Show request ids'}
              </button>
              <ol class="audit panel">
                {content.entries.map((entry) => (
                  <Line key={entry.id} entry={entry} showsIds={showsIds} />
                ))}
              </ol>
            </>
          )}
          {content.cursor !== undefined && (
            <MoreButton
              label="Load older entries"
              load={async () => found.set(await searchAudit(read, filter, content))}
            />
          )}
        </>
      )}
    </>
  )
}

function Line({ entry, showsIds }: { readonly entry: AuditEntry; readonly showsIds: boolean }) {
  const {
    at,
    actor,
    action,
    subject,
    gamemode,
    movedTo,
    catches,
    species,
    count = 1,
    lastAt,
    address,
    requestId,
  } = entry
  const text = AUDIT_ACTIONS[action] ?? action
  const counted = (one: string) => plural(catches ?? 0, one === 'crabs' ? 'crab' : one, one)
  return (
    <li>
      <p>
        <strong>{actor}</strong> {catches === undefined ? text : text.replace(/fish|crabs/, counted)}{' '}
        {subject !== undefined && (
          <strong>{ON_PLAYERS.test(action) ? <a href={fragmentOf(playerView(subject))}>{subject}</a> : subject}</strong>
        )}
        {gamemode !== undefined && (movedTo === undefined ? ` in ${gamemode}` : ` from ${gamemode} to ${movedTo}`)}
        {species !== undefined && `: ${species.join(', ')}`}
      </p>
      <p class="quiet">
        <time dateTime={at}>{formatDateTime(at)}</time>
        {lastAt !== undefined && (
          <>
            , {plural(count, 'time', 'times')} until <time dateTime={lastAt}>{formatDateTime(lastAt)}</time>
          </>
        )}{' '}
        · {address}
        {showsIds && (
          <>
            {' '}
            · request <code>{requestId}</code>
          </>
        )}
      </p>
    </li>
  )
}
