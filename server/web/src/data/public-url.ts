/** The address that players use, which the service writes into its pages; without it, that of the page. */
export function publicUrl(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="public-url"]')?.content || location.origin
}
