/** The address for players, which the service writes into its pages. @default the origin of the page */
export function publicUrl(): string {
  return meta('public-url') || location.origin
}

/** Whether the leaderboard is public. */
export function hasLeaderboard(): boolean {
  return meta('leaderboard') === 'public'
}

function meta(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
}
