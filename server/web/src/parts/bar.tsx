/**
 * A bar whose length shows a figure that a text beside it names. The length is an attribute of a drawing, because the
 * Content Security Policy of the pages drops `style` attributes in HTML of the server.
 */
export function Bar({ percent }: { readonly percent: number }) {
  return (
    <svg class="bar-track" aria-hidden="true">
      <rect class="bar-fill" width={`${percent}%`} height="100%" rx="6" />
    </svg>
  )
}
