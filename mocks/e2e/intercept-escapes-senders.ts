import type { get, RequestOptions, request } from 'node:http'
import { connect, type Socket } from 'node:net'

/** Sends one request. @returns the body of the response */
export type Send = (url: string) => Promise<string>

/** Creates a function that sends with `node:http` or `node:https`. */
export function byNode(send: typeof get | typeof request, options: RequestOptions, body?: string): Send {
  return (url) =>
    new Promise((resolve, reject) => {
      const call = send(url, options, (response) => {
        let all = ''
        response.setEncoding('utf8').on('data', (piece) => {
          all += piece
        })
        response.on('end', () => resolve(all)).on('error', reject)
      })
      call.on('error', reject).end(body)
    })
}

/** Creates a function that writes requests in sequence to an open raw socket. */
export function byHand(url: string): { send: Send; end: () => void } {
  const { hostname, port, host } = new URL(url)
  let socket: Socket | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const once: Send = (target) =>
    new Promise((resolve, reject) => {
      if (!socket || socket.destroyed) socket = connect(Number(port), hostname).on('error', () => {})
      const { pathname } = new URL(target)
      const own = socket
      let all = ''
      const onData = (piece: Buffer) => {
        all += piece.toString('latin1')
        const body = all.split('\r\n\r\n')[1]
        if (body?.length !== 4) return
        if (/\r\nconnection: close\r\n/i.test(all)) own.destroy()
        done(() => resolve(body))
      }
      const onClose = () => done(() => reject(new Error('closed')))
      const onError = (error: Error) => done(() => reject(error))
      const done = (settle: () => void) => {
        own.off('data', onData).off('close', onClose).off('error', onError)
        settle()
      }
      own.on('data', onData).on('close', onClose).on('error', onError)
      own.write(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
    })
  const send: Send = (target) => {
    const response = turn.then(() => once(target))
    turn = response.catch(() => {})
    return response
  }
  return { send, end: () => socket?.destroy() }
}
