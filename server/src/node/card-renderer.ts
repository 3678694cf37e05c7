import { fileURLToPath } from 'node:url'
import type { CardRenderer, Logger } from '../app/core/host.ts'
import { runInThread } from './run-in-thread.ts'

const FAMILY = 'Manrope'
const PACKAGE = '@expo-google-fonts/manrope'
/** The paths of the fonts in their packages. The build copies the fonts next to its output. */
const SOURCES = ['600SemiBold', '800ExtraBold'].map((style) => `${PACKAGE}/${style}/${FAMILY}_${style}.ttf`)

function locate(source: string): string {
  const name = source.slice(source.lastIndexOf('/') + 1)
  return fileURLToPath(
    import.meta.url.endsWith('.ts') ? import.meta.resolve(source) : new URL(`./fonts/${name}`, import.meta.url),
  )
}

/**
 * Loads the card renderer. The renderer is an optional dependency, because not every platform has a build of it.
 *
 * Each render runs in a new thread. The asynchronous function of the renderer would use the thread pool for 40 ms, and
 * then encode the PNG in the main thread for 10 to 30 ms. A new thread costs 80 ms more of processor time.
 */
export async function loadCardRenderer(logger: Pick<Logger, 'info'>): Promise<CardRenderer | undefined> {
  try {
    await import('@resvg/resvg-js')
  } catch (err) {
    logger.info({ err }, 'links to players have no picture: the renderer is not installed')
    return undefined
  }
  const font = { loadSystemFonts: false, fontFiles: SOURCES.map(locate), defaultFontFamily: FAMILY }
  return (svg) => runInThread('card-worker', { svg, options: { font } })
}
