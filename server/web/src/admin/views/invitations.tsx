import type { CreatedInvitation, InvitationList } from '@fish-crab/sdk/admin'
import { useState } from 'preact/hooks'
import { formatDateTime, formatNumber, plural } from '../../parts/format.ts'
import { ALL_PLAYERS, fragmentOf, playerView } from '../data/location.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { LinkDialog } from '../parts/link-dialog.tsx'
import { LoadNotice, useLoad } from '../parts/load.tsx'
import { Title, usePage } from '../parts/page.tsx'
import { LIFETIMES } from './account-tasks.tsx'

type Invitation = InvitationList['invitations'][number]

/** The links with which players create their own accounts. */
export function Invitations() {
  const { request } = usePage()
  const loaded = useLoad('invitations', () => request((client) => client.invitations.list()))
  const [isCreating, setCreating] = useState(false)
  const [ending, setEnding] = useState<Invitation>()
  const invitations = loaded.content?.invitations
  return (
    <>
      <nav aria-label="Back">
        <a href={fragmentOf(ALL_PLAYERS)}>← All players</a>
      </nav>
      <Title
        actions={
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            New invitation
          </button>
        }
      >
        Invitations
      </Title>
      <LoadNotice loaded={loaded} what="the invitations" />
      {invitations?.length === 0 && (
        <p class="panel">
          An invitation is a link with which players choose their names and create their own accounts.
        </p>
      )}
      {invitations?.map((invitation) => (
        <InvitationPanel key={invitation.id} invitation={invitation} onEnd={() => setEnding(invitation)} />
      ))}
      {isCreating && <NewInvitation onClose={() => setCreating(false)} onDone={loaded.reload} />}
      {ending && <EndInvitation invitation={ending} onClose={() => setEnding(undefined)} onDone={loaded.reload} />}
    </>
  )
}

interface InvitationPanelProps {
  readonly invitation: Invitation
  readonly onEnd: () => void
}

function InvitationPanel({ invitation, onEnd }: InvitationPanelProps) {
  const { uses, remaining, createdBy, createdAt, expiresAt, players } = invitation
  const isEnded = remaining === 0 || Date.parse(expiresAt) <= Date.now()
  return (
    <section class="panel" aria-label={`Invitation of ${formatDateTime(createdAt)}`}>
      <dl class="facts">
        <dt>Players</dt>
        <dd>
          {formatNumber(uses - remaining)} of {formatNumber(uses)}
        </dd>
        <dt>Created</dt>
        <dd>
          <time dateTime={createdAt}>{formatDateTime(createdAt)}</time> by {createdBy}
        </dd>
        <dt>{isEnded ? 'Ended' : 'Works until'}</dt>
        <dd>
          {remaining === 0 ? 'by the last player' : <time dateTime={expiresAt}>{formatDateTime(expiresAt)}</time>}
        </dd>
      </dl>
      {players.length > 0 && (
        <ul class="names">
          {players.map(({ name, at }) => (
            <li key={name}>
              <a href={fragmentOf(playerView(name))}>{name}</a>{' '}
              <time class="quiet" dateTime={at}>
                {formatDateTime(at)}
              </time>
            </li>
          ))}
        </ul>
      )}
      {!isEnded && (
        <div class="actions">
          <button
            type="button"
            class="danger"
            aria-label={`End the invitation of ${formatDateTime(createdAt)}`}
            onClick={onEnd}
          >
            End
          </button>
        </div>
      )}
    </section>
  )
}

interface TaskProps {
  readonly onClose: () => void
  readonly onDone: () => void
}

function NewInvitation({ onClose, onDone }: TaskProps) {
  const { request } = usePage()
  const [created, setCreated] = useState<CreatedInvitation>()
  if (created) {
    return (
      <LinkDialog title="New invitation" url={created.url} onDone={onClose}>
        Send it to the players. {plural(created.uses, 'player')} can create an account until{' '}
        {formatDateTime(created.expiresAt)}.
      </LinkDialog>
    )
  }
  return (
    <Dialog title="New invitation" onEscape={onClose}>
      <Form
        submit="Create the invitation"
        busy="Creating…"
        check={({ uses = '' }) => ({
          uses: /^[1-9]\d{0,2}$/.test(uses.trim()) && Number(uses) <= 500 ? undefined : 'Enter a number from 1 to 500.',
        })}
        ifUnknown="Check the list of invitations."
        onSubmit={async ({ uses = '', hours = '72' }) => {
          const invitation = { uses: Number(uses), hours: Number(hours) }
          setCreated(await request((client) => client.invitations.create(invitation)))
          onDone()
        }}
        onCancel={onClose}
      >
        <Field name="uses" label="Number of players" value="1" maxLength={3} isFirst />
        <Choice name="hours" label="Works for" value="72" options={LIFETIMES} />
      </Form>
    </Dialog>
  )
}

function EndInvitation({ invitation, onClose, onDone }: TaskProps & { readonly invitation: Invitation }) {
  const { request, announce } = usePage()
  return (
    <Dialog title="End the invitation" onEscape={onClose}>
      <p>Nobody can use the link any longer. The players who joined with it stay.</p>
      <Form
        submit="End the invitation"
        busy="Ending…"
        isDangerous
        onSubmit={async () => {
          await request((client) => client.invitations.end(invitation.id))
          onClose()
          onDone()
          announce('Ended the invitation.')
        }}
        onCancel={onClose}
      />
    </Dialog>
  )
}
