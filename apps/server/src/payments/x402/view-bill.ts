import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import {
  type X402PaymentRequired,
  type X402Receipt,
  type X402Requirements,
  type X402Settlement,
  x402Headers,
  x402Version,
} from '@sluice/protocol/x402/messages.ts'

/** Where a receipt is found: by programs and wallets, and by people. */
export type BillPlaces = { readonly payUrl: string; readonly receiptUrl: string }

/** A receipt as a program is told of it. */
export function viewBill(view: CheckoutView, { receiptUrl }: BillPlaces): X402Receipt {
  const { state, token, decimals, received, missing, excess, transactionHash, payer } = view.payment
  return {
    receiptId: view.receiptId,
    recipient: view.recipient,
    brandName: view.brandName,
    status: view.status,
    currency: view.currency,
    totalUsd: view.totalUsd,
    customerTotalUsd: view.customerTotalUsd,
    lineItems: view.lineItems.map(({ label, priceUsd, qty }) => ({
      label,
      priceUsd,
      ...(qty !== undefined && { qty }),
    })),
    payment: { state, token, decimals, received, missing, excess, transactionHash, payer },
    receiptUrl,
  }
}

/** What the header PAYMENT-REQUIRED says. */
export function viewRequired(
  view: CheckoutView,
  { payUrl }: BillPlaces,
  accepts: readonly X402Requirements[],
  error: string,
): X402PaymentRequired {
  const description = `${view.brandName}, receipt ${view.receiptId}`
  return {
    x402Version,
    error,
    resource: { url: payUrl, description, mimeType: 'application/json' },
    accepts: [...accepts],
  }
}

/** The protocol's own headers, with what each of them says. */
export function x402HeadersOf(says: {
  readonly required?: X402PaymentRequired | undefined
  readonly response?: X402Settlement | undefined
}): Record<string, string> {
  return {
    ...(says.required && { [x402Headers.required]: encode(says.required) }),
    ...(says.response && { [x402Headers.response]: encode(says.response) }),
  }
}

function encode(message: object): string {
  return Buffer.from(JSON.stringify(message)).toString('base64')
}
