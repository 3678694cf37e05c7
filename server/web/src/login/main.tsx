import { render } from 'preact'
import { LoginPage } from './login-page.tsx'
import { redeem } from './redeem.ts'
import '../parts/page.css'
import '../parts/content.css'
import '../parts/creature.css'
import '../parts/form.css'
import './login.css'

const token = location.hash.slice(1)
// The link works only once, and must not stay in the history of the browser.
history.replaceState(null, '', location.pathname)

render(<LoginPage token={token} redeem={redeem} />, document.getElementById('app') as HTMLElement)
