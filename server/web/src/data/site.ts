/** The address that players use, which the service writes into its pages; without it, that of the page. */
export function publicUrl(): string {
  return meta('public-url') || location.origin
}

/** Whether the service shows everybody who has caught the most. */
export function hasLeaderboard(): boolean {
  return meta('leaderboard') === 'public'
}

function meta(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
}
