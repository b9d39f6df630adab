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
        'Create a payment attempt. Returns the amount, the address and prepared calls to pay the receipt in a token. The price is valid for 15 minutes.',
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
        'Report that a payment was sent. The service checks the chain sooner. The report itself proves nothing.',
      params,
      query,
      body: checkoutHint,
      responses: { 200: Type.Object({ ok: Type.Literal(true) }) },
      async handle({ params: { id }, query: { recipient }, headers: { host } }) {
        await getPayableReceipt(needs, id, { recipient, host })
        await notifyJob(needs, jobNames.scanTransfers)
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
        'Request the message for a signed payment. Opens an attempt, or uses the open one, and returns typed data for the buyer’s wallet to sign. The standard is EIP-3009 if the token supports it, otherwise EIP-2612, otherwise Permit2 if the wallet has approved it. An error includes a `reason`.',
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
        'Pay with a signature. The service submits the signed transfer and pays the gas. A payment that would fail is rejected with a `reason`. While the payment is in progress, the same signature returns the same payment.',
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
