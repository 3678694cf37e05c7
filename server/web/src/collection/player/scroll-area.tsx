import type { ComponentChildren } from 'preact'

interface ScrollAreaProps {
  readonly label: string
  readonly isPanel?: boolean
  readonly children: ComponentChildren
}

/** Content that may be larger than its place. */
export function ScrollArea({ label, isPanel = false, children }: ScrollAreaProps) {
  return (
    <section
      class={isPanel ? 'scroll-area panel' : 'scroll-area'}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, a keyboard cannot scroll there
      tabIndex={0}
    >
      {children}
    </section>
  )
}
