import { fileURLToPath } from 'node:url'
import type { CardRenderer, Logger } from '../app/core/host.ts'
import { runInThread } from './run-in-thread.ts'

const FAMILY = 'Manrope'
const PACKAGE = '@expo-google-fonts/manrope'
/** The paths of the fonts in their packages. The build copies the fonts next to its output. */
const SOURCES = ['600SemiBold', '800ExtraBold'].map((style) => `${PACKAGE}/${style}/${FAMILY}_${style}.ttf`)

/** Characters that Manrope lacks. If no font of the system has them either, the renderer draws boxes. */
const NOT_IN_FONT =
  /[^\n -~\u00a1-\u0113\u0116-\u012b\u012e-\u0131\u0134-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u014d\u0150-\u017e\u0218-\u021b\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u045f\u0490\u0491\u1e80-\u1e85\u1ea0-\u1ef9\u2013\u2014\u2018\u2019\u201c\u201d\u2026]/u

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
 *
 * The renderer would search the fonts of the system for 15 to 70 ms, so only a card whose text needs them loads them.
 */
export async function loadCardRenderer(logger: Pick<Logger, 'info'>): Promise<CardRenderer | undefined> {
  try {
    await import('@resvg/resvg-js')
  } catch (err) {
    logger.info({ err }, 'links to players have no picture: the renderer is not installed')
    return undefined
  }
  const fonts = { fontFiles: SOURCES.map(locate), defaultFontFamily: FAMILY }
  return (svg) => {
    const font = { ...fonts, loadSystemFonts: NOT_IN_FONT.test(svg) }
    return runInThread('card-worker', { svg, options: { font } })
  }
}
