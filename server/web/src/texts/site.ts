/** The texts that all pages have. */
export const siteTexts = {
  skip: 'Skip to the content',
  leaderboard: 'Leaderboard',
  overlay: 'Stream overlay',
  docs: 'API reference',
} as const
