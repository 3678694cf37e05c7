import { useState } from 'preact/hooks'
import { publicUrl } from '../data/site.ts'
import { partsTexts as texts } from '../texts/parts.tsx'

interface ShareButtonProps {
  readonly title: string
  /** The path and query of the page. */
  readonly path: string
}

/** How long the button reports that the link was copied, in milliseconds. */
const COPIED_MS = 3000

/** A button that opens the share sheet of a phone, or copies the link on other devices. */
export function ShareButton({ title, path }: ShareButtonProps) {
  const [label, setLabel] = useState<string>(texts.share)
  async function share(): Promise<void> {
    const { href: url } = new URL(path, publicUrl())
    // The promise rejects if the user closes the sheet, which is not a failure.
    if (matchMedia('(pointer: coarse)').matches && navigator.share)
      return navigator.share({ title, url }).catch(() => {})
    // Browsers offer the clipboard only over HTTPS and on localhost.
    const isCopied = await navigator.clipboard?.writeText(url).then(
      () => true,
      () => false,
    )
    if (!isCopied) return void prompt(texts.link, url)
    setLabel(texts.linkCopied)
    setTimeout(() => setLabel(texts.share), COPIED_MS)
  }
  return (
    <>
      <button type="button" onClick={share}>
        {label}
      </button>
      <span class="visually-hidden" role="status">
        {label !== texts.share && label}
      </span>
    </>
  )
}
