import { useEffect } from 'preact/hooks'

/** Lets the browser prompt before the user leaves the page, while the component is visible. */
export function useLeavePrompt(): void {
  useEffect(() => {
    const hold = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', hold)
    return () => removeEventListener('beforeunload', hold)
  }, [])
}
