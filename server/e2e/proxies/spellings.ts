/** One way to spell a request for a denied path. */
export interface Spelling {
  readonly what: string
  /** The request line without the HTTP version. */
  readonly line: string
  readonly version?: '1.0' | '1.1'
  readonly headers?: readonly string[]
}

const TARGETS: readonly string[] = [
  // plain paths, and variants that the server routes to the same handlers
  ...['/metrics', '/metrics/', '/metrics//', '//metrics', '///metrics', '/v1/metrics', '/v1//metrics', '//v1/metrics/'],
  ...[
    '/%6detrics',
    '/%6Detrics',
    '/metric%73',
    '/%6d%65%74%72%69%63%73',
    '/v1/%6detrics',
    '/%76%31/metrics',
    '/v1/v1/metrics',
  ],
  // backslashes
  ...[
    '/\\metrics',
    '/v1\\metrics',
    '/metrics\\',
    '/x\\..\\metrics',
    '\\metrics',
    '/%5cmetrics',
    '/v1%5cmetrics',
    '/metrics%5c',
  ],
  // dot segments
  ...[
    '/./metrics',
    '/x/../metrics',
    '/metrics/.',
    '/metrics/x/..',
    '/%2e/metrics',
    '/x/%2e%2e/metrics',
    '/x/.%2E/metrics',
  ],
  ...[
    '/x/%2e%2e%2fmetrics',
    '/x%2f../metrics',
    '/x%2fy/../metrics',
    '/x/..%2fmetrics',
    '/x/..%5cmetrics',
    '/../metrics',
  ],
  ...['/x/..;/metrics', '/..;/metrics', '/.../metrics', '/metrics/..%2f..%2fx', '/metrics%2f..%2fx'],
  // path parameters, suffixes and percent-encodings
  ...[
    '/metrics;',
    '/metrics;x=y',
    '/;/metrics',
    '/metrics;/',
    '/metrics%3b',
    '/metrics%00',
    '/%00/metrics',
    '/metrics%00.html',
  ],
  ...['/%2fmetrics', '/%2Fmetrics', '/v1%2fmetrics', '/metrics%2f', '/%252fmetrics', '/%256detrics', '/%25%36detrics'],
  ...[
    '/METRICS',
    '/Metrics',
    '/metrics.',
    '/metrics%2e',
    '/metrics%20',
    '/%20metrics',
    '/metrics%09',
    '/metrics%0a',
    '/metrics%0d%0a',
  ],
  ...[
    '/metrics\t',
    '/met\trics',
    '/metrics\x0b',
    '/metr%zzics',
    '/metrics%',
    '/metrics/%zz',
    '/%zz/../metrics',
    '/%u006detrics',
  ],
  ...[
    '/metrics?',
    '/metrics??',
    '/metrics?x',
    '/metrics?/../x',
    '/metrics#',
    '/metrics#x',
    '/x#/../metrics',
    '/#/metrics',
    '/metrics%3f',
    '/metrics%23',
  ],
  ...[
    '/x?/../metrics',
    '/metrics&',
    '/metrics~',
    '/metrics*',
    '/metrics,',
    '/metrics|',
    '/metrics"',
    "/metrics'",
    '/metrics+',
    '/metrics@',
  ],
  // overlong UTF-8, and non-ASCII characters
  ...[
    '/%c0%afmetrics',
    '/x/%c0%ae%c0%ae/metrics',
    '/%c1%adetrics',
    '/%e0%80%afmetrics',
    '/metrics%ff',
    '/%ef%bd%8detrics',
    '/metri\xe7s',
    '/\xef\xbd\x8detrics',
  ],
  // absolute form and other forms of the request target
  ...[
    'http://fish.example.org/metrics',
    'HTTP://fish.example.org/metrics',
    'http://fish.example.org//metrics',
    'http://fish.example.org/\\metrics',
  ],
  ...[
    'http://fish.example.org\\metrics',
    'http://fish.example.org?/metrics',
    'http://fish.example.org#/metrics',
    'http://x@fish.example.org/metrics',
  ],
  ...[
    'http://x\\@fish.example.org/metrics',
    'http://fish.example.org:80/metrics',
    'http:///metrics',
    'http:/metrics',
    'http:metrics',
    'https://fish.example.org/metrics',
  ],
  ...[
    'ftp://fish.example.org/metrics',
    'metrics:/metrics',
    'metrics',
    '//fish.example.org/metrics',
    '*',
    '/x/http://fish.example.org/metrics',
  ],
]
const RISKY_HEADERS: readonly (readonly [string, string])[] = [
  ['/x', 'X-Original-URL: @'],
  ['/x', 'X-Rewrite-URL: @'],
  ['/livez', 'X-Original-URL: @'],
  ['/x', 'X-Forwarded-Path: @'],
  ['/x', 'X-Forwarded-Prefix: @'],
  ['/x', 'X-Forwarded-Uri: @'],
  ['/x', 'X-HTTP-Method-Override: GET'],
  ['/@', 'X-HTTP-Method-Override: HEAD'],
  ['/@', 'X-Forwarded-For: 127.0.0.1'],
  ['/@', 'Forwarded: for=127.0.0.1;path=/livez'],
]

/** Returns the spellings of a path such as `admin/users`, derived from the spellings of `/metrics`. */
export function spellingsOf(path: string): Spelling[] {
  const respelled = (text: string) =>
    text
      .replaceAll('metrics', path)
      .replaceAll('METRICS', path.toUpperCase())
      .replace('%6detrics', `%${path.charCodeAt(0).toString(16)}${path.slice(1)}`)
      .replace('%6Detrics', `%${path.charCodeAt(0).toString(16).toUpperCase()}${path.slice(1)}`)
  return [
    ...TARGETS.map((target) => ({ what: respelled(target), line: `GET ${respelled(target)}` })),
    ...RISKY_HEADERS.map(([target, header]) => {
      const line = `GET ${target.replace('@', path)}`
      const sent = header.replace('@', `/${path}`)
      return { what: `${line.slice(4)} with ${sent}`, line, headers: [sent] }
    }),
    { what: `/${path} in HTTP/1.0`, line: `GET /${path}`, version: '1.0' },
    { what: `//${path} in HTTP/1.0`, line: `GET //${path}`, version: '1.0' },
    { what: `HEAD /v1//${path}`, line: `HEAD /v1//${path}` },
    { what: `OPTIONS //${path}`, line: `OPTIONS //${path}` },
    {
      what: `POST /x with X-HTTP-Method-Override and X-Original-URL`,
      line: 'POST /x',
      headers: ['X-HTTP-Method-Override: GET', `X-Original-URL: /${path}`, 'Content-Length: 0'],
    },
  ]
}
