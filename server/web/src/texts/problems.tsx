import type { ComponentChildren } from 'preact'
import type { Problem } from '../data/follow.ts'
import { Countdown } from '../parts/countdown.tsx'

/** The texts of pages and overlays for each cause of outdated catches. */
export const problemsTexts = {
  causes: {
    limited: { title: 'Too many requests', reason: 'This server limits the requests of your network.' },
    offline: { title: 'Offline', reason: 'There is no network connection.' },
    unreachable: { title: 'Reconnecting', reason: 'The server does not respond.' },
    busy: { title: 'The server is busy', reason: 'Many players are reading at the moment.' },
    failed: { title: 'The server has a problem', reason: undefined },
  },
  next: (problem: Problem) =>
    problem.kind === 'offline' ? (
      'Updates continue when the network is back.'
    ) : (
      <>
        Trying again <Countdown until={problem.retryAt} />.
      </>
    ),
  requestId: (id: string) => (
    <>
      If this problem persists, report the request id <code>{id}</code> to the owner of this server.
    </>
  ),
  asOf: (time: ComponentChildren) => <>This is the collection as of {time}.</>,
  retry: 'Try now',
} as const
