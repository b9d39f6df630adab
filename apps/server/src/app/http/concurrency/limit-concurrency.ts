import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { clientAddress, readCredentials, validateSecret } from '../../../access/credentials.ts'
import { idsOf, nameOf, type RecentCallers } from '../../../access/guard/recent-callers.ts'
import { limitAddress } from '../../../access/rate-rules.ts'
import type { Gate } from '../../../access/sessions/gate.ts'
import { asVisitor } from '../../../platform/database/sharing/visitors.ts'
import { FairQueue } from './fair-queue.ts'
import { RequestsAhead } from './requests-ahead.ts'
import { UnreadResponses } from './unread-responses.ts'

/**
 * Enough to keep the processors busy. With more, one merchant's large responses would block the event loop
 * for others.
 */
const merchantShare = { total: 8, least: 4 }
/**
 * Not limited in practice, because hundreds of buyers may share a proxy's address. Addresses only take turns
 * starting requests.
 */
const addressShare = { total: 100_000, least: 100_000 }

const liveStream = /^\/api\/events\/stream/

/**
 * Shares the process among merchants, and among addresses for requests without a recently verified
 * credential.
 *
 * A credential counts as recent for five minutes. `/healthz` bypasses the queues.
 */
export function limitConcurrency(
  app: FastifyInstance,
  needs: { readonly gate: Gate; readonly recentCallers: RecentCallers },
  unread = new UnreadResponses(),
): void {
  const listeners = app.server.listeners('request') as RequestListener[]
  const [merchants, addresses] = [new FairQueue(merchantShare), new FairQueue(addressShare)]
  const ahead = new RequestsAhead()
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    for (const listener of listeners) listener.call(app.server, request, response as never)
  }
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => {
    if (!ahead.admits(request.socket, response)) return
    if (request.url === '/healthz') return respond(request, response)
    const { isKnown, name } = subjectOf(needs, request)
    unread.watch(name, response)
    const queue = isKnown ? merchants : addresses
    queue.add(name, {
      isGone: () => response.destroyed,
      begin(done) {
        if (isKnown) respond(request, response)
        else asVisitor(name, () => respond(request, response))
        // A live stream stays open for hours and must not use up the share.
        if (liveStream.test(request.url ?? '') || response.closed) done()
        else response.once('close', done)
      },
    })
  })
}

function subjectOf(
  { gate, recentCallers: { keys, sessions } }: { gate: Gate; recentCallers: RecentCallers },
  { headers, socket }: IncomingMessage,
): { isKnown: boolean; name: string } {
  const isFromEdge = validateSecret(gate.edgeSecret, headers['x-edge-secret']) === 'right'
  const address = clientAddress(headers, isFromEdge, gate, socket.remoteAddress ?? '')
  const credentials = readCredentials(headers, gate, { isFromEdge, address })
  const { subscriptionKey, apiKey, token, stampedSubscriptionId } = credentials
  if ((subscriptionKey ?? apiKey ?? token ?? stampedSubscriptionId) !== undefined) {
    const name = nameOf(credentials)
    const caller = keys.recall(name) ?? sessions.recall(name)?.caller
    if (caller) return { isKnown: true, name: caller.merchant ?? idsOf(caller).join() }
  }
  return { isKnown: false, name: limitAddress(address) }
}
