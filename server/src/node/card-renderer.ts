import { fileURLToPath } from 'node:url'
import type { CardRenderer, Logger } from '../app/core/host.ts'

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

/** Loads the card renderer. The renderer is an optional dependency, because not every platform has a build of it. */
export async function loadCardRenderer(logger: Pick<Logger, 'info'>): Promise<CardRenderer | undefined> {
  try {
    const { renderAsync } = await import('@resvg/resvg-js')
    const font = { loadSystemFonts: false, fontFiles: SOURCES.map(locate), defaultFontFamily: FAMILY }
    return async (svg) => new Uint8Array((await renderAsync(svg, { font })).asPng())
  } catch (err) {
    logger.info({ err }, 'links to players have no picture: the renderer is not installed')
    return undefined
  }
}
