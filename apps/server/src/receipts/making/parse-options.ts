import { billingAliases, type ReceiptOptionsRequest } from '@sluice/protocol/api/receipts/receipts.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Issue } from '../../kernel/refusal.ts'
import { parseWebhookUrl } from '../../webhooks/check-target.ts'
import type { Billing, Receipt } from '../receipt.ts'

/** What everything that makes a receipt may say beside what is sold, with every alias resolved. */
export type ReceiptOptions = Pick<
  Receipt,
  | 'redirectUrl'
  | 'returnUrl'
  | 'webhookUrl'
  | 'onSuccess'
  | 'providerEmail'
  | 'billing'
  | 'metadata'
  | 'transactionId'
> & { readonly expiresAt: UnixMs | undefined }

const maxMetadataBytes = 8 * 1024

/** The options in a body that passed its schema; what is wrong with them is added to `issues`. */
export function parseOptions(
  body: ReceiptOptionsRequest,
  options: { isProduction: boolean },
  issues: Issue[],
): ReceiptOptions {
  const fault = (path: string, message: string) => void issues.push({ path, message })
  const aliased: Aliased = (...names) => {
    // Most are not sent at all.
    const first = names.find((name) => body[name] !== undefined)
    if (first === undefined) return undefined
    const sent = names.filter((name) => body[name] !== undefined)
    if (sent.some((name) => body[name] !== body[first]))
      fault(sent[1] ?? '', `differs from its alias ${first}`)
    return body[first] as string
  }
  const httpsUrl = (value: string | undefined, path: string): string | undefined => {
    if (value === undefined) return undefined
    const url = URL.canParse(value) ? new URL(value) : undefined
    const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && !options.isProduction)
    if (!url || !isAllowed || url.username !== '' || url.password !== '') fault(path, 'must be an https URL')
    return value
  }
  const redirectUrl = httpsUrl(aliased('redirect_url', 'redirectUrl'), 'redirect_url')
  const returnUrl = httpsUrl(aliased('returnUrl', 'return_url'), 'returnUrl')
  const webhookUrl = aliased('webhook_url', 'webhookUrl')
  if (webhookUrl !== undefined) {
    const target = parseWebhookUrl(webhookUrl, options)
    if (typeof target === 'string') fault('webhook_url', `cannot be used: ${target.replaceAll('-', ' ')}`)
  }
  if (body.metadata && Buffer.byteLength(JSON.stringify(body.metadata)) > maxMetadataBytes) {
    fault('metadata', `must not exceed ${maxMetadataBytes} bytes of JSON`)
  }
  return {
    redirectUrl,
    returnUrl,
    webhookUrl,
    onSuccess: body.onSuccess,
    providerEmail: body.providerEmail,
    billing: parseBilling(body, aliased),
    metadata: body.metadata,
    transactionId: aliased('transactionId', 'clientTransactionId'),
    expiresAt: body.expiresAt as UnixMs | undefined,
  }
}

type Aliased = (...names: (keyof ReceiptOptionsRequest)[]) => string | undefined

function parseBilling(body: ReceiptOptionsRequest, aliased: Aliased): Billing | undefined {
  const read = (name: keyof typeof billingAliases) => aliased(name, ...billingAliases[name])
  const given = {
    firstName: read('billingFirstName'),
    lastName: read('billingLastName'),
    // The provider's e-mail stands in where no billing e-mail is sent; beside one, each keeps its own.
    email: read('billingEmail') ?? body.providerEmail,
    phone: read('billingPhone'),
    line1: read('billingAddressLine1'),
    line2: read('billingAddressLine2'),
    city: read('billingAddressCity'),
    state: read('billingAddressState'),
    zip: read('billingAddressPostalCode'),
    country: read('billingAddressCountry'),
  }
  const entries = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}
