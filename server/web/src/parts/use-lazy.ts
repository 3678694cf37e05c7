import { useEffect, useState } from 'preact/hooks'

/**
 * Loads a part of the page from a separate file, after the first view.
 * @param load must be the same function in each render
 * @returns `undefined` until the part is loaded, and `'failed'` if loading fails
 */
export function useLazy<Part>(load: () => Promise<Part>): Part | 'failed' | undefined {
  const [part, setPart] = useState<Part | 'failed'>()
  useEffect(() => {
    load().then(
      (loaded) => setPart(() => loaded),
      () => setPart('failed'),
    )
  }, [load])
  return part
}
