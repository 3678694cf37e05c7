import { readFileSync } from 'node:fs'

/** A proxy in front of a server, as the README sets it up. */
export interface ProxySetup {
  readonly name: 'nginx' | 'Caddy' | 'HAProxy' | 'Apache'
  readonly debian: string
  /** Where the program may be. */
  readonly programs: readonly string[]
  /** Arguments that run it in the foreground with a configuration file. */
  readonly args: (file: string, folder: string) => readonly string[]
  /** The whole configuration: the README's rules between what only a test needs. */
  readonly config: (rules: string, place: Place) => string
}

/** Where a proxy of a test listens, and what for. */
export interface Place {
  readonly port: number
  /** Host and port of the server. */
  readonly server: string
  readonly folder: string
}

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** What stands in the README's block for a proxy, with the addresses of a test. */
export function rulesOf({ name }: ProxySetup, { port, server }: Place): string {
  const [, block] = new RegExp(`### Behind ${name}\\n[^]*?\`\`\`\\w*\\n([^]*?)\`\`\``).exec(README) ?? []
  if (block === undefined) throw new Error(`The README has no rules for ${name}.`)
  return block
    .replaceAll('127.0.0.1:8787', server)
    .replace(/^.*\b(ssl_certificate|ssl_certificate_key)\b.*\n/gm, '')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
    .replace('<VirtualHost *:443>', `<VirtualHost 127.0.0.1:${port}>`)
    .replace(/^\s*SSL.*\n/gm, '')
    .replace(/^fish\.example\.org \{/m, `http://:${port} {\n    bind 127.0.0.1`)
}

export const PROXIES: readonly ProxySetup[] = [
  {
    name: 'nginx',
    debian: 'nginx-light',
    programs: ['/usr/sbin/nginx', 'nginx'],
    args: (file, folder) => ['-p', folder, '-e', 'stderr', '-c', file],
    config: (rules, { folder }) => `
daemon off;
master_process off;
pid ${folder}/pid;
error_log stderr crit;
events {}
http {
    access_log off;
    client_body_temp_path ${folder}/body;
    proxy_temp_path ${folder}/proxy;
    fastcgi_temp_path ${folder}/fastcgi;
    uwsgi_temp_path ${folder}/uwsgi;
    scgi_temp_path ${folder}/scgi;
${rules}
}`,
  },
  {
    name: 'Caddy',
    debian: 'caddy',
    programs: ['/usr/bin/caddy', 'caddy'],
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    config: (rules) => `{\n  admin off\n  auto_https off\n}\n${rules}`,
  },
  {
    name: 'HAProxy',
    debian: 'haproxy',
    programs: ['/usr/sbin/haproxy', 'haproxy'],
    args: (file) => ['-db', '-q', '-f', file],
    config: (rules) => `
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
${rules}`,
  },
  {
    name: 'Apache',
    debian: 'apache2-bin',
    programs: ['/usr/sbin/apache2', 'apache2', 'httpd'],
    args: (file) => ['-X', '-f', file],
    config: (rules, { port, folder }) => `
ServerRoot ${folder}
ServerName 127.0.0.1
PidFile ${folder}/pid
Mutex file:${folder} default
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${port}
${['mpm_event', 'authz_core', 'proxy', 'proxy_http']
  .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  .join('\n')}
${rules}`,
  },
]
