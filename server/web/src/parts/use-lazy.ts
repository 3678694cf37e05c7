import { useEffect, useState } from 'preact/hooks'

/**
 * A part of the page in a separate file, which loads after the first view.
 * @param load the same function at each call
 * @returns `undefined` until it is loaded
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
