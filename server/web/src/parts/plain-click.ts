/** Whether a click opens a link in this tab, so that the page may show its content in place. */
export function isPlainClick(event: MouseEvent): boolean {
  return !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) && event.button === 0
}
