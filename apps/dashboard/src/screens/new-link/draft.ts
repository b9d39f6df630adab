import type { components } from '../../api/schema.d.ts'
import { amountOf, readCents } from '../../format/cents.ts'
import { text } from '../../messages/messages.ts'

export type Draft = {
  currency: 'USD' | 'EUR'
  lines: { label: string; qty: string; price: string }[]
  discount: string
  id: string
  email: string
  reference: string
  expires: string
  returnUrl: string
  webhookUrl: string
}

/** Totals of a draft, in cents. A line that cannot be parsed counts as 0. */
export type DraftTotal = {
  readonly lines: readonly { readonly label: string; readonly qty: bigint; readonly cents: bigint }[]
  readonly discount: bigint
  readonly total: bigint
}

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Creates an empty draft with a random receipt ID. */
export function newDraft(): Draft {
  const random = crypto.getRandomValues(new Uint8Array(10))
  const id = `link-${Array.from(random, (byte) => digits[byte % 32]).join('')}`
  const lines = [{ label: '', qty: '1', price: '' }]
  const more = { email: '', reference: '', expires: '', returnUrl: '', webhookUrl: '' }
  return { currency: 'USD', lines, discount: '', id, ...more }
}

/** Parses a typed quantity, an integer from 1 to 999,999. Returns `undefined` if it is invalid. */
export function readQuantity(typed: string): bigint | undefined {
  return /^[1-9]\d{0,5}$/.test(typed.trim()) ? BigInt(typed.trim()) : undefined
}

export function addUp({ lines, discount }: Pick<Draft, 'lines' | 'discount'>): DraftTotal {
  const read = lines.map(({ label, qty, price }) => {
    const count = readQuantity(qty) ?? 0n
    return { label, qty: count, cents: (readCents(price) ?? 0n) * count }
  })
  const less = readCents(discount) ?? 0n
  return {
    lines: read,
    discount: less,
    total: read.reduce((sum, { cents }) => sum + cents, -less),
  }
}

/** Returns the request that creates the receipt. The draft must be valid. */
export function requestOf(draft: Draft): components['schemas']['CreateReceiptRequest'] {
  const { lines, discount, total } = addUp(draft)
  const sold = lines.map(({ label, qty, cents }) => ({
    label: label.trim(),
    amount: amountOf(cents),
    ...(qty > 1n && { qty: Number(qty) }),
  }))
  const less = { label: text('new-link.discount'), amount: amountOf(-discount) }
  const { id, currency, email, reference, expires, returnUrl, webhookUrl } = draft
  return {
    id: id.trim(),
    currency,
    lineItems: discount > 0n ? [...sold, less] : sold,
    total: amountOf(total),
    ...(email.trim() && { billingEmail: email.trim() }),
    ...(reference.trim() && { transactionId: reference.trim() }),
    ...(expires && { expiresAt: new Date(expires).getTime() }),
    ...(returnUrl.trim() && { returnUrl: returnUrl.trim() }),
    ...(webhookUrl.trim() && { webhook_url: webhookUrl.trim() }),
  }
}

const fields: Readonly<Record<string, string>> = {
  id: 'id',
  billingEmail: 'email',
  transactionId: 'reference',
  expiresAt: 'expires',
  returnUrl: 'returnUrl',
  webhook_url: 'webhookUrl',
  currency: 'currency',
}

/** Maps a path in the request to a form field. The index after the last line is the discount's. */
export function fieldOfPath(path: string, lineCount: number): string | undefined {
  const line = /^lineItems\/(\d+)\/(label|amount|qty)$/.exec(path)
  if (!line) return fields[path]
  const [, index = '', name = ''] = line
  if (Number(index) >= lineCount) return 'discount'
  return `lines.${index}.${name === 'amount' ? 'price' : name}`
}
