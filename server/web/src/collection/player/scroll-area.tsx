import type { ComponentChildren } from 'preact'

interface ScrollAreaProps {
  readonly label: string
  readonly isPanel?: boolean
  readonly children: ComponentChildren
}

/** A scrollable area for content that may be larger than the available space. */
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
