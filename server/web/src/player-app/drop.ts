import { useEffect, useRef, useState } from 'preact/hooks'

/** Receives what the player drops anywhere on the page. @returns whether something is dragged over the page */
export function useDrop(onDrop: (dropped: DataTransfer) => void): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(onDrop)
  latest.current = onDrop
  useEffect(() => {
    const changed = new AbortController()
    const { signal } = changed
    const listen = (name: 'dragover' | 'dragleave' | 'drop', react: (event: DragEvent) => void) =>
      addEventListener(name, react, { signal })
    // Without preventDefault, the browser leaves the page and shows the file.
    listen('dragover', (event) => {
      event.preventDefault()
      setOver(true)
    })
    listen('dragleave', (event) => {
      if (event.relatedTarget === null) setOver(false)
    })
    listen('drop', (event) => {
      event.preventDefault()
      setOver(false)
      if (event.dataTransfer) latest.current(event.dataTransfer)
    })
    return () => changed.abort()
  }, [])
  return isOver
}
