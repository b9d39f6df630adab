import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { limitAddress } from '../../../access/rate-rules.ts'
import type { Clock } from '../../../kernel/clock.ts'

/**
 * Maximum number of connections from one address that have sent no request. A proxy opens connections on
 * demand.
 */
const maxHalfOpen = 256
/**
 * Age in milliseconds below which a connection is not closed: its request may be about to arrive in a burst.
 */
const patienceMs = 5_000

/**
 * Closes the oldest connections without a first request if an address has more than {@link maxHalfOpen} of
 * them.
 *
 * Otherwise one address could occupy all connections for the request timeout.
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
