import { answerPrograms } from '../../../src/app/answer-programs.ts'
import { makeAddressOf, makeAdmit } from '../../../src/app/http/limit-outside.ts'
import { receiptPageParts } from '../../../src/app/receipt-pages.ts'
import { checkoutParts } from '../../../src/app/routes.ts'
import { registerPages } from '../../../src/pages/register-pages.ts'
import { plainTheme } from '../../../src/pages/theme/page-theme.ts'
import { findCheckout, getPayableReceipt } from '../../../src/payments/checkout/find-checkout.ts'
import { openAttempt } from '../../../src/payments/checkout/open-attempt.ts'
import { emptyPages } from '../browser/empty-pages.ts'
import type { ApiOptions } from './start-api.ts'

/** Adds the pages of buyers to the API of a test, over its own database and chain; all in the plain look. */
export const addRealPages: NonNullable<ApiOptions['extend']> = async (app, _routes, { parts, config }) => {
  const checkout = checkoutParts(parts, config)
  await registerPages(app, {
    ...parts,
    ...emptyPages,
    ...receiptPageParts(parts, config),
    clock: parts.chain.time,
    admit: makeAdmit(parts),
    addressOf: makeAddressOf(parts.gate),
    checkouts: {
      find: (request) => findCheckout(checkout, request.id, request),
      openAttempt: async (request, token) =>
        openAttempt(checkout, await getPayableReceipt(parts, request.id, request), { token }, 'page'),
      findOnSuccess: async () => undefined,
      findPayUrl: async () => '',
    },
    answerProgram: answerPrograms(parts, config),
    themes: { find: async () => plainTheme },
    images: {
      findStored: async () => undefined,
      store: { find: async () => ({ kind: 'fault', fault: 'unreachable' }), close: () => {} },
    },
    site: { baseUrl: config.baseUrl, isProduction: false, localRpcUrl: undefined },
  })
}
