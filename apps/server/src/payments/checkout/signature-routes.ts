import {
  signatureRequest,
  signatureRequestView,
  signatureSubmission,
  signedPaymentView,
} from '@sluice/protocol/api/paying/signed-payments.ts'
import { Type } from 'typebox'
import { type Route, route } from '../../access/route.ts'
import { getPayableReceipt } from './find-checkout.ts'
import { type RequestSignatureNeeds, requestSignature } from './request-signature.ts'
import { submitSignature } from './submit-signature.ts'

const params = Type.Object({ id: Type.String() })
const query = Type.Object({ recipient: Type.Optional(Type.String()) })

/** Paying by one signature, without gas. Nobody has to say who he is: the signature does. */
export function signatureRoutes(needs: RequestSignatureNeeds): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/checkout/{id}/signature-request',
      access: { kind: 'public' },
      limit: { name: 'attempts', per: 'params' },
      description:
        'Request the message that pays by one signature. Opens an attempt, or takes the one that stands, and returns the typed data that the buyer’s wallet signs: EIP-3009, EIP-2612 where the token has nothing else, or Permit2 where it has neither and the wallet has approved that. A refusal has a `reason`.',
      params,
      query,
      body: signatureRequest,
      answers: { 201: signatureRequestView },
      document: {
        refusals: [
          'split_required',
          'invalid_amount',
          'attempt_open',
          'exchange_rate_unavailable',
          'chain_unavailable',
        ],
      },
      async prepare({ params: { id }, query: { recipient }, headers: { host }, body, clientAddress }) {
        const receipt = await getPayableReceipt(needs, id, { recipient, host })
        return requestSignature(needs, receipt, body, clientAddress)
      },
      async handle({ prepared }) {
        return { status: 201, body: prepared }
      },
    }),
    route({
      method: 'POST',
      path: '/api/checkout/{id}/signatures',
      access: { kind: 'public' },
      limit: { name: 'attempts', per: 'params' },
      description:
        'Pay by a signature. The service submits the signed transfer and pays its gas. What would fail is refused with a `reason`; the same signature again answers the same payment while it is under way.',
      params,
      query,
      body: signatureSubmission,
      answers: { 201: signedPaymentView },
      document: { refusals: ['attempt_open', 'chain_unavailable'] },
      async prepare({ params: { id }, query: { recipient }, headers: { host }, body }) {
        return submitSignature(needs, await getPayableReceipt(needs, id, { recipient, host }), body)
      },
      async handle({ prepared }) {
        return { status: 201, body: prepared }
      },
    }),
  ]
}
