import type { ComponentChildren } from 'preact'

/** The texts of parts that several pages have. */
export const partsTexts = {
  share: 'Share',
  linkCopied: 'Link copied',
  link: 'The link of this page:',
  copied: 'Copied',
  in: (duration: string) => `in ${duration}`,
  at: (time: ComponentChildren) => <>at {time}</>,
} as const
