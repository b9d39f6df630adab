import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { clientAddress, judgeEdge } from '../../../access/client-address.ts'
import { readCredentials } from '../../../access/credentials.ts'
import { nameOf, type RecentCallers } from '../../../access/guard/recent-callers.ts'
import { limitAddress } from '../../../access/rate-rules.ts'
import type { Gate } from '../../../access/sessions/gate.ts'
import { Turns } from '../../../kernel/turns/turns.ts'
import { RequestsAhead } from './requests-ahead.ts'
import { UnreadAnswers } from './unread-answers.ts'

/** Requests of one key or session that are worked on at the same time; of the pool's connections it leaves most. */
const perCaller = 4
const perAddress = 100_000

const liveStream = /^\/((pay|portal)\/[^/]+\/events|api\/events\/stream)/

/**
 * Has requests wait for their turn: one line for each key and session that was good a short while ago, and one for
 * each address with all others. A flood waits for itself, and who asks beside it is answered as ever. The probe
 * that says whether the process lives stands in no line. Whose answers wait to be read is known by the same names.
 */
export function takeTurns(
  app: FastifyInstance,
  needs: { readonly gate: Gate; readonly recentCallers: RecentCallers },
  unread = new UnreadAnswers(),
): void {
  const listeners = app.server.listeners('request') as RequestListener[]
  const turns = new Turns()
  const ahead = new RequestsAhead()
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    for (const listener of listeners) listener.call(app.server, request, response as never)
  }
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => {
    if (!ahead.admits(request.socket, response)) return
    if (request.url === '/healthz') return answer(request, response)
    const { name, most } = lineOf(needs, request)
    unread.watch(name, response)
    turns.add(name, most, {
      isGone: () => response.destroyed,
      begin(done) {
        answer(request, response)
        // What is live is followed for hours, and whoever has some open still has requests to make.
        if (liveStream.test(request.url ?? '')) done()
        else if (response.closed) done()
        else response.once('close', done)
      },
    })
  })
}

function lineOf(
  { gate, recentCallers }: { gate: Gate; recentCallers: RecentCallers },
  { headers, socket }: IncomingMessage,
): { name: string; most: number } {
  const isFromEdge = judgeEdge(gate.edgeSecret, headers['x-edge-secret']) === 'right'
  const socketAddress = socket.remoteAddress ?? ''
  const credentials = readCredentials(headers, {
    isFromEdge,
    address: clientAddress(headers, isFromEdge, gate, socketAddress),
  })
  const { subscriptionKey, apiKey, token, address } = credentials
  if ((subscriptionKey ?? apiKey ?? token) !== undefined) {
    const name = nameOf(credentials)
    if (recentCallers.keys.knows(name) || recentCallers.sessions.knows(name)) return { name, most: perCaller }
  }
  return { name: limitAddress(address), most: perAddress }
}
