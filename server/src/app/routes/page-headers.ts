/**
 * Returns the headers of pages and their files. The policy allows only files from this server, and no inline scripts or
 * styles, so that injected text cannot run scripts or send data to other servers.
 * @param more additional directives, and directives that replace the defaults
 */
export function pageHeaders(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    // Style sheets contain icons as `data:` URLs.
    'img-src': "'self' data:",
    'font-src': "'self'",
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...more,
  }
  return {
    'content-security-policy': Object.entries(policy)
      .map((directive) => directive.join(' '))
      .join('; '),
    'referrer-policy': 'no-referrer',
  }
}

/** With these directives, no script can turn text into markup. The pages never need to do so. */
export const PAGES_HEADERS = pageHeaders({ 'require-trusted-types-for': "'script'", 'trusted-types': "'none'" })
