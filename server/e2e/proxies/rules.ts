import { readFileSync } from 'node:fs'

/** Describes how to run a proxy with the configuration in docs/behind-a-proxy.md. */
export interface ProxySetup {
  readonly name: 'nginx' | 'Caddy' | 'HAProxy' | 'Apache'
  readonly debian: string
  /** Possible paths of the executable, in order of preference. */
  readonly programs: readonly string[]
  /** Returns the arguments that run the proxy in the foreground with a configuration file. */
  readonly args: (file: string, folder: string) => readonly string[]
  /**
   * Returns the complete configuration: the rules from the documentation, inside the usual main configuration of a
   * distribution.
   */
  readonly config: (rules: string, place: Place) => string
}

/** The addresses and files of a proxy in a test. */
export interface Place {
  readonly port: number
  /** Host and port of the server. */
  readonly server: string
  /** The folder that contains the certificate files. The names of the files are the names in the documentation. */
  readonly folder: string
}

const PAGE = readFileSync(new URL('../../../docs/behind-a-proxy.md', import.meta.url), 'utf8')

/** The response in the documentation that HAProxy sends instead of an error, so that event streams retry. */
export const EVENTS_LATER = (/```http\n(.*?)```/s.exec(PAGE)?.[1] ?? '').replaceAll('\n', '\r\n')

/** Returns the rules for a proxy from the documentation, with the addresses and the folder of the test. */
export function rulesOf({ name }: ProxySetup, { port, server, folder }: Place): string {
  const [, block] = new RegExp(`## ${name}\\n[^]*?\`\`\`\\w*\\n([^]*?)\`\`\``).exec(PAGE) ?? []
  if (block === undefined) throw new Error(`docs/behind-a-proxy.md has no rules for ${name}.`)
  return block
    .replaceAll('127.0.0.1:8787', server)
    .replaceAll('/etc/ssl/fish', folder)
    .replaceAll('/etc/haproxy', folder)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('bind :443', `bind 127.0.0.1:${port}`)
    .replace('VirtualHost *:443', `VirtualHost 127.0.0.1:${port}`)
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
    config: (rules, { port }) => `
{
  admin off
  https_port ${port}
  default_bind 127.0.0.1
  local_certs
  skip_install_trust
  auto_https disable_redirects
}
${rules}`,
  },
  {
    name: 'HAProxy',
    debian: 'haproxy',
    programs: ['/usr/sbin/haproxy', 'haproxy'],
    // HAProxy only warns about rules that it ignores. With -dW, a warning is an error.
    args: (file) => ['-db', '-dW', '-f', file],
    config: (rules) => rules,
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
${['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'ssl']
  .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  .join('\n')}
${rules}`,
  },
]
