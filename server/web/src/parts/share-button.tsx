import { CopyButton } from './copy-button.tsx'

interface ShareButtonProps {
  readonly title: string
  readonly url: string
}

/** A button that opens the share sheet of a phone, or copies the link on other devices. */
export function ShareButton({ title, url }: ShareButtonProps) {
  const isPhone = matchMedia('(pointer: coarse)').matches
  if (!isPhone || !navigator.share) return <CopyButton text={url} label="Copy link" />
  // The promise rejects if the user closes the sheet, which is not a failure.
  const share = () => navigator.share({ title, url }).catch(() => {})
  return (
    <button type="button" onClick={share}>
      Share
    </button>
  )
}
