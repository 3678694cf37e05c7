import { render } from 'preact'
import '../parts/page.css'
import '../parts/content.css'
import '../parts/form.css'
import '../parts/card.css'
import './player-app.css'
import { createConnection } from './connection.ts'
import { PlayerApp } from './player-app.tsx'

const connection = createConnection({
  fetch: (...request) => fetch(...request),
  storage: sessionStorage,
  fragment: location.hash,
  clearAddress: () => history.replaceState(null, '', location.pathname),
})

render(<PlayerApp connection={connection} />, document.getElementById('app') as HTMLElement)
