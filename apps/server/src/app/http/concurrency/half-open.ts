import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { limitAddress } from '../../../access/rate-rules.ts'
import type { Clock } from '../../../kernel/clock.ts'

/** So many connections of one address may be without a request. A proxy opens them when it has one. */
const maxHalfOpen = 256
/** A burst of connections whose requests are about to be read is younger. */
const patienceMs = 5_000

/**
 * Closes connections that have not sent their first request: the oldest of an address that has more than
 * {@link maxHalfOpen}, when it opens another or when no connection is left. Otherwise one address could keep all
 * connections for the time that a request may take to arrive.
 */
export function limitHalfOpen(app: FastifyInstance, { clock }: { readonly clock: Clock }): void {
  const addresses = new Map<string, Map<Socket, number>>()
  const forget = (address: string, socket: Socket) => {
    const own = addresses.get(address)
    own?.delete(socket)
    if (own?.size === 0) addresses.delete(address)
  }
  const makeRoom = (own: Map<Socket, number>) => {
    for (const [socket, openedAt] of own) {
      if (own.size <= maxHalfOpen || clock.now() - openedAt < patienceMs) return
      own.delete(socket)
      socket.destroy()
    }
  }
  app.server.on('connection', (socket) => {
    const address = limitAddress(socket.remoteAddress ?? '')
    const own = addresses.get(address) ?? new Map<Socket, number>()
    addresses.set(address, own.set(socket, clock.now()))
    socket.once('close', () => forget(address, socket))
    makeRoom(own)
  })
  app.server.prependListener('request', ({ socket }) => {
    forget(limitAddress(socket.remoteAddress ?? ''), socket)
  })
  app.server.on('drop', () => addresses.forEach(makeRoom))
}
