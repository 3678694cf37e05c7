// Types of the parts of Bun and Deno that the examples use, so that the type check needs no packages of the two
// runtimes.
declare const Bun: {
  serve(options: {
    hostname: string
    port: number
    fetch(request: Request, server: BunServer): Promise<Response>
  }): BunServer
}
interface BunServer {
  readonly port: number
  requestIP(request: Request): { readonly address: string } | null
  stop(): Promise<void>
}
declare const Deno: {
  serve(
    options: { hostname: string; port: number; onListen(address: { readonly port: number }): void },
    handler: (request: Request, info: { readonly remoteAddr: { readonly hostname: string } }) => Promise<Response>,
  ): { shutdown(): Promise<void> }
}
