import { useEffect } from 'preact/hooks'

/** Lets the browser prompt before the user leaves the page, while the component is visible. */
export function LeavePrompt() {
  useEffect(() => {
    const prompt = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', prompt)
    return () => removeEventListener('beforeunload', prompt)
  }, [])
  return null
}
