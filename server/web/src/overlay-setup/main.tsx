import { render } from 'preact'
import { OverlaySetup } from './overlay-setup.tsx'
import '../parts/page.css'
import './overlay-setup.css'

render(<OverlaySetup />, document.getElementById('app') as HTMLElement)
