/** The texts that all pages have. */
export const siteTexts = {
  name: 'Fish and Crab Collection',
  demo: 'Demo collection',
  skip: 'Skip to the content',
  leaderboard: 'Leaderboard',
  overlay: 'Stream overlay',
  docs: 'API reference',
} as const
