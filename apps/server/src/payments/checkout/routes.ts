import { attemptRequest, attemptView, checkoutHint, checkoutView } from '@sluice/protocol/api/checkout.ts'
import { Type } from 'typebox'
import { type Route, route } from '../../access/route.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { type FindCheckoutNeeds, findCheckout, getPayableReceipt } from './find-checkout.ts'
import { type OpenAttemptNeeds, openPrepared, prepareAttempt } from './open-attempt.ts'

const params = Type.Object({ id: Type.String() })
const query = Type.Object({ recipient: Type.Optional(Type.String()) })

/** What the buyer's page asks for (decisions: Receipts and Payments on chain). Nobody has to say who he is. */
export function checkoutRoutes(needs: OpenAttemptNeeds & FindCheckoutNeeds): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/checkout/{id}',
      access: { kind: 'public' },
      description: 'Retrieve a receipt as the buyer sees it. Includes the progress of the payment.',
      params,
      query,
      answers: { 200: checkoutView },
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
      answers: { 201: attemptView },
      document: {
        refusals: ['split_required', 'invalid_amount', 'exchange_rate_unavailable', 'chain_unavailable'],
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
      answers: { 200: Type.Object({ ok: Type.Literal(true) }) },
      async handle({ params: { id }, query: { recipient }, headers: { host } }) {
        await getPayableReceipt(needs, id, { recipient, host })
        await notifyJob(needs.db, jobNames.scanTransfers)
        return { status: 200, body: { ok: true } }
      },
    }),
  ]
}
