import { type DefaultTheme, defineConfig } from 'vitepress'
import { githubSlug, PAGES, repositoryLinks, SOURCES_LEFT_OUT } from '../../scripts/docs/pages.ts'

const DOORS = [
  { text: 'Play', link: '/play' },
  { text: 'Build a mod', link: '/build-a-mod' },
  { text: 'Test', link: '/test' },
  { text: 'Run a service', link: '/run-a-service' },
]

const guide: DefaultTheme.SidebarItem[] = [
  {
    text: 'Start',
    items: [{ text: 'Install', link: '/install' }, ...DOORS, { text: 'Stream your catches', link: '/streamers' }],
  },
  {
    text: 'Guides',
    items: [
      { text: 'Behind a proxy', link: '/behind-a-proxy' },
      { text: 'Operate', link: '/operate' },
      { text: 'Monitoring', link: '/monitoring' },
      { text: 'Back up and move', link: '/back-up-and-move' },
      { text: 'Redis', link: '/redis' },
      { text: 'Bring players over', link: '/migrate' },
      { text: 'Embed the service', link: '/embed' },
      { text: 'Messages that count', link: '/messages' },
      { text: 'Mocks in detail', link: '/mocks-in-detail' },
    ],
  },
  {
    text: 'Understand',
    items: [
      { text: 'How it works', link: '/how-it-works' },
      { text: 'The outbox', link: '/outbox' },
      { text: 'Decisions', link: '/decisions' },
      { text: 'Alternatives', link: '/alternatives' },
      { text: 'Questions', link: '/questions' },
      { text: 'Proof', link: '/proof' },
      { text: 'Pages', link: '/pages' },
    ],
  },
  {
    text: 'Packages',
    items: [
      { text: 'SDK', link: '/sdk' },
      { text: 'Server', link: '/server' },
      { text: 'Mocks', link: '/mocks' },
      { text: 'fish-cli', link: '/cli' },
      { text: 'Examples', link: '/examples' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'API', link: '/reference/api' },
      { text: 'Errors and exit codes', link: '/reference/errors' },
      { text: 'Commands', link: '/reference/cli' },
      { text: 'Settings', link: '/settings' },
    ],
  },
  {
    text: 'Reference of the packages',
    items: ['client', 'resources', 'admin', 'outbox', 'chat', 'fernet', 'constants', 'mocks'].map((name) => ({
      text: name,
      link: `/reference/sdk/${name}`,
    })),
  },
  {
    text: 'Project',
    items: [
      { text: 'Changes', link: '/changelog' },
      { text: 'Security', link: '/security' },
      { text: 'Support', link: '/support' },
      { text: 'Code of conduct', link: '/code-of-conduct' },
      { text: 'Contributing', link: '/contributing' },
      { text: 'Recipes', link: '/recipes' },
    ],
  },
]

/** The icon of the site: a fish. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#2a93b5" d="M2 16q10-13 20-2l8-6v16l-8-6q-10 11-20-2z"/></svg>'

// The pages are Markdown files from all folders of the repository, so the source folder is the root of the repository.
export default defineConfig({
  title: 'Fish and Crab',
  description: 'The Fish and Crab Collection Service: play, build a mod, test, run a service.',
  lang: 'en',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  srcDir: '..',
  srcExclude: [...SOURCES_LEFT_OUT],
  rewrites: { ...PAGES },
  outDir: './dist',
  cacheDir: '../node_modules/.cache/vitepress',
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: githubSlug },
    languageAlias: { caddyfile: 'nginx', haproxy: 'nginx' },
    config: repositoryLinks,
  },
  // The limit is higher for the search index, which the browser loads only at the first search.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    nav: DOORS,
    sidebar: guide,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // Guides explain a word but use the word less often than the reference, so pages of the reference rank lower.
        miniSearch: { searchOptions: { boostDocument: (id: string) => (id.startsWith('/reference/') ? 0.2 : 1) } },
      },
    },
  },
})
