import { useState } from 'preact/hooks'

interface CopyButtonProps {
  readonly text: string
  readonly label: string
}

/** Absent without a clipboard: browsers offer it only to pages over HTTPS or from this machine. */
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
        {isCopied ? 'Copied' : label}
      </button>
      <span class="visually-hidden" role="status">
        {isCopied && 'Copied.'}
      </span>
    </>
  )
}
