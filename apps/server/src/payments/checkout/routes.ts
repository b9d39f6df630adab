import { attemptRequest, attemptView, checkoutHint, checkoutView } from '@sluice/protocol/api/checkout.ts'
import {
  signatureRequest,
  signatureRequestView,
  signatureSubmission,
  signedPaymentView,
} from '@sluice/protocol/api/paying/signed-payments.ts'
import { Type } from 'typebox'
import { type Route, route } from '../../access/route.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { type FindCheckoutNeeds, findCheckout, getPayableReceipt } from './find-checkout.ts'
import { type OpenAttemptNeeds, openPrepared, prepareAttempt } from './open-attempt.ts'
import { type RequestSignatureNeeds, requestSignature } from './request-signature.ts'
import { submitSignature } from './submit-signature.ts'

const params = Type.Object({ id: Type.String() })
const query = Type.Object({ recipient: Type.Optional(Type.String()) })

export function checkoutRoutes(needs: OpenAttemptNeeds & FindCheckoutNeeds): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/checkout/{id}',
      access: { kind: 'public' },
      description: 'Retrieve a receipt as the buyer sees it. Includes the progress of the payment.',
      params,
      query,
      responses: { 200: checkoutView },
      async handle({ params: { id }, query: { recipient }, headers: { host } }) {
        return { status: 200, body: await findCheckout(needs, id, { recipient, host }) }
      },
    }),
    route({
      method: 'POST',
      path: '/api/checkout/{id}/attempts',
      access: { kind: 'public' },
      limit: { name: 'attempts', per: 'params' },
      description:
        'Create a payment attempt. Returns the amount, the address and ready-made calls for paying the receipt in a token. The price holds for 15 minutes.',
      params,
      query,
      body: attemptRequest,
      responses: { 201: attemptView },
      document: {
        apiErrors: ['split_required', 'invalid_amount', 'exchange_rate_unavailable', 'chain_unavailable'],
      },
      async prepare({ params: { id }, query: { recipient }, headers: { host }, body, clientAddress }) {
        const receipt = await getPayableReceipt(needs, id, { recipient, host })
        return { receipt, offer: await prepareAttempt(needs, receipt, body, 'buyer', clientAddress) }
      },
      async handle({ prepared: { receipt, offer } }) {
        return { status: 201, body: await openPrepared(needs, receipt, offer) }
      },
    }),
    route({
      method: 'POST',
      path: '/api/checkout/{id}/hint',
      access: { kind: 'public' },
      description:
        'Report that a payment was sent. The chain is checked sooner. The report itself proves nothing.',
      params,
      query,
      body: checkoutHint,
      responses: { 200: Type.Object({ ok: Type.Literal(true) }) },
      async handle({ params: { id }, query: { recipient }, headers: { host } }) {
        await getPayableReceipt(needs, id, { recipient, host })
        await notifyJob(needs.db, jobNames.scanTransfers)
        return { status: 200, body: { ok: true } }
      },
    }),
  ]
}

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
      responses: { 201: signatureRequestView },
      document: {
        apiErrors: [
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
      responses: { 201: signedPaymentView },
      document: { apiErrors: ['attempt_open', 'chain_unavailable'] },
      async prepare({ params: { id }, query: { recipient }, headers: { host }, body }) {
        return submitSignature(needs, await getPayableReceipt(needs, id, { recipient, host }), body)
      },
      async handle({ prepared }) {
        return { status: 201, body: prepared }
      },
    }),
  ]
}
