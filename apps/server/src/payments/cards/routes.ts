import { onrampEventResponse, onrampView } from '@sluice/protocol/api/paying/onramp.ts'
import { Type } from 'typebox'
import { type Route, route } from '../../access/route.ts'
import { ApiError, invalidInput } from '../../kernel/api-error.ts'
import { getPayableReceipt } from '../checkout/find-checkout.ts'
import { type OpenSessionNeeds, openSession } from './open-session.ts'
import { receiveEvent } from './receive-event.ts'

const eventLimit = 64 * 1024

export function cardRoutes(needs: OpenSessionNeeds & { readonly onrampToleranceMs: number }): Route[] {
  return [openRoute(needs), eventRoute(needs)]
}

function openRoute(needs: OpenSessionNeeds): Route {
  return route({
    method: 'POST',
    path: '/api/checkout/{id}/onramp',
    access: { kind: 'public' },
    limit: { name: 'attempts', per: 'params' },
    description:
      "Start a card or bank payment. Opens a session at the payment provider, or returns the receipt's open session. The buyer pays on the page at `url`. The provider delivers USDC to the attempt's own deposit address.",
    params: Type.Object({ id: Type.String() }),
    query: Type.Object({ recipient: Type.Optional(Type.String()) }),
    responses: { 201: onrampView },
    document: {
      apiErrors: [
        'split_required',
        'invalid_amount',
        'attempt_open',
        'exchange_rate_unavailable',
        'chain_unavailable',
        'provider_unavailable',
      ],
    },
    async prepare({ params: { id }, query: { recipient }, headers: { host }, clientAddress }) {
      const receipt = await getPayableReceipt(needs, id, { recipient, host })
      return openSession(needs, receipt, clientAddress)
    },
    handle: async ({ prepared }) => ({ status: 201, body: prepared }),
  })
}

function eventRoute(needs: OpenSessionNeeds & { readonly onrampToleranceMs: number }): Route {
  return route({
    method: 'POST',
    path: '/api/onramp/events/{provider}',
    access: { kind: 'public' },
    limit: { name: 'failedAuthentications', counts: 'failures' },
    description:
      'Receive an event of a payment provider. Only the provider calls this endpoint. The provider signs the body. Each event is applied once, in any order.',
    params: Type.Object({ provider: Type.String() }),
    body: Type.Unsafe<Buffer>(
      Type.Object({}, { additionalProperties: true, description: 'Signature of the provider.' }),
    ),
    intake: { type: 'bytes', limit: eventLimit },
    responses: { 200: onrampEventResponse },
    async handle({ params: { provider: name }, headers, body }) {
      const provider = needs.onramp.find(name)
      if (!provider) throw new ApiError('not_found', 'Payment provider not found')
      const reading = await provider.readEvent({
        body: body ?? Buffer.alloc(0),
        headers,
        now: needs.clock.now(),
        toleranceMs: needs.onrampToleranceMs,
      })
      if (reading.kind === 'refused') throw invalidInput({ path: '', message: apiErrors[reading.because] })
      await receiveEvent(needs, provider, reading.event, body)
      return { status: 200, body: { ok: true } }
    },
  })
}

const apiErrors = {
  signature: 'The signature does not match',
  time: 'The signature is too old, or the clocks differ',
  format: 'The event is not in the format of the provider',
}
