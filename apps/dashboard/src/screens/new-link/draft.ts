import type { components } from '../../api/schema.d.ts'
import { amountOf, readCents } from '../../format/cents.ts'
import { text } from '../../messages/messages.ts'

/** What the form of a new payment link holds, as it is typed. */
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

/** What a draft adds up to; lines that cannot be read yet count nothing. */
export type DraftTotal = {
  readonly lines: readonly { readonly label: string; readonly qty: bigint; readonly cents: bigint }[]
  readonly discount: bigint
  readonly total: bigint
}

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** An empty draft with an id that nobody has. */
export function newDraft(): Draft {
  const random = crypto.getRandomValues(new Uint8Array(10))
  const id = `link-${Array.from(random, (byte) => digits[byte % 32]).join('')}`
  const lines = [{ label: '', qty: '1', price: '' }]
  const more = { email: '', reference: '', expires: '', returnUrl: '', webhookUrl: '' }
  return { currency: 'USD', lines, discount: '', id, ...more }
}

/** A quantity as it is typed: whole, from 1. */
export function readQuantity(typed: string): bigint | undefined {
  return /^[1-9]\d{0,5}$/.test(typed.trim()) ? BigInt(typed.trim()) : undefined
}

/** Adds a draft up. */
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

/** The request that makes the receipt of a draft whose fields can be read. */
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

/** The field of the form that a path of the request stands for. */
export function fieldOfPath(path: string, lineCount: number): string | undefined {
  const line = /^lineItems\/(\d+)\/(label|amount|qty)$/.exec(path)
  if (!line) return fields[path]
  const [, index = '', name = ''] = line
  if (Number(index) >= lineCount) return 'discount'
  return `lines.${index}.${name === 'amount' ? 'price' : name}`
}
