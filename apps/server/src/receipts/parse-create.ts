import { createHash } from 'node:crypto'
import { billingAliases, type CreateReceiptRequest } from '@sluice/protocol/api/receipts.ts'
import { parseReceiptId, type ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { type Issue, invalidInput } from '../kernel/refusal.ts'
import { parseWebhookUrl } from '../webhooks/check-target.ts'
import { parseLines, type RequestedLines } from './parse-lines.ts'
import type { Billing, Tax } from './receipt.ts'

/** What a caller asks for, with every alias resolved and every rule between fields checked. */
export type ReceiptRequest = RequestedLines & {
  readonly id: ReceiptId
  readonly redirectUrl: string | undefined
  readonly returnUrl: string | undefined
  readonly webhookUrl: string | undefined
  readonly onSuccess: string | undefined
  readonly providerEmail: string | undefined
  readonly billing: Billing | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  readonly transactionId: string | undefined
  readonly expiresAt: UnixMs | undefined
  readonly tax: Tax | undefined
  /** Of everything above: equal content has equal hashes, however it was spelled. */
  readonly contentHash: string
}

const maxMetadataBytes = 8 * 1024

/**
 * The request in a body that passed its schema.
 *
 * @throws {Refusal} `invalid_input` with every fault found.
 */
export function parseCreateReceipt(
  body: CreateReceiptRequest,
  options: { isProduction: boolean },
): ReceiptRequest {
  const issues: Issue[] = []
  const fault = (path: string, message: string) => void issues.push({ path, message })
  const aliased = (...names: (keyof CreateReceiptRequest)[]): string | undefined => {
    const sent = names.filter((name) => body[name] !== undefined)
    const values = new Set(sent.map((name) => body[name] as string))
    if (values.size > 1) fault(sent[1] ?? '', `differs from ${sent[0]}, which is another name for it`)
    return values.values().next().value
  }
  const httpsUrl = (value: string | undefined, path: string): string | undefined => {
    if (value === undefined) return undefined
    const url = URL.canParse(value) ? new URL(value) : undefined
    const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && !options.isProduction)
    if (!url || !isAllowed || url.username !== '' || url.password !== '') fault(path, 'must be an https URL')
    return value
  }

  const id = parseReceiptId(body.id)
  if (!id) {
    fault(
      'id',
      'must begin with a letter or digit, have only letters, digits and . _ : ~ -, and be no word of the API',
    )
  }
  const lines = parseLines(body, fault)
  const redirectUrl = httpsUrl(aliased('redirect_url', 'redirectUrl'), 'redirect_url')
  const returnUrl = httpsUrl(aliased('returnUrl', 'return_url'), 'returnUrl')
  const webhookUrl = aliased('webhook_url', 'webhookUrl')
  if (webhookUrl !== undefined) {
    const target = parseWebhookUrl(webhookUrl, options)
    if (typeof target === 'string') fault('webhook_url', `cannot be used: ${target.replaceAll('-', ' ')}`)
  }
  if (body.metadata && Buffer.byteLength(JSON.stringify(body.metadata)) > maxMetadataBytes) {
    fault('metadata', `must be at most ${maxMetadataBytes} bytes of JSON`)
  }
  const tax = parseTax(body, fault)
  const request = {
    redirectUrl,
    returnUrl,
    webhookUrl,
    onSuccess: body.onSuccess,
    providerEmail: body.providerEmail,
    billing: parseBilling(body, aliased),
    metadata: body.metadata,
    transactionId: aliased('transactionId', 'clientTransactionId'),
    expiresAt: body.expiresAt as UnixMs | undefined,
    tax,
  }
  if (!id || !lines || issues.length > 0) throw invalidInput(...issues)
  const parsed = { id, ...lines, ...request }
  return { ...parsed, contentHash: hashContent(parsed) }
}

function parseTax(
  body: CreateReceiptRequest,
  fault: (path: string, message: string) => void,
): Tax | undefined {
  const jurisdictionCode = body.jurisdictionCode?.toUpperCase()
  if (jurisdictionCode !== undefined && !/^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(jurisdictionCode)) {
    fault('jurisdictionCode', 'must have the form <country>-<region>, US-CA for example')
  }
  if (body.taxRate !== undefined && !/^(\d+(\.\d{1,6})?|[1-9]e-6)$/.test(String(body.taxRate))) {
    fault('taxRate', 'must be a fraction of at most six decimals, 0.095 for example')
  }
  const { taxRate, taxComponents } = body
  if (jurisdictionCode === undefined && taxRate === undefined && taxComponents === undefined) return undefined
  return { jurisdictionCode, taxRate, taxComponents }
}

function parseBilling(
  body: CreateReceiptRequest,
  aliased: (...names: (keyof CreateReceiptRequest)[]) => string | undefined,
): Billing | undefined {
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

function hashContent(content: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(canonical(content)).digest('hex')
}

/** JSON with sorted keys and without what is undefined, bigint as text: one spelling for one content. */
function canonical(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}n"`
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(',')}}`
}
