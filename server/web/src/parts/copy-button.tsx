import { useState } from 'preact/hooks'
import { partsTexts } from '../texts/parts.tsx'

interface CopyButtonProps {
  readonly text: string
  readonly label: string
}

/** A button that copies a text. It is absent if the browser offers no clipboard, which requires HTTPS or localhost. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  if (!navigator.clipboard) return null
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 3000)
  }
  return (
    <>
      <button type="button" onClick={copy}>
        {isCopied ? partsTexts.copied : label}
      </button>
      <span class="visually-hidden" role="status">
        {isCopied && partsTexts.copied}
      </span>
    </>
  )
}
