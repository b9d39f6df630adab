import { createHash } from 'node:crypto'
import type { Receipt } from './receipt.ts'

/** Of a receipt's metadata no more values are looked up by than this. */
export const maxMetadataTerms = 64

/** The receipt's fields that it is found by beside its id. */
export type Searchable = Pick<Receipt, 'providerEmail' | 'billing' | 'transactionId' | 'metadata'>

/**
 * What a receipt is found by beside its id, as `receipt_term` keeps it: e-mail addresses in any case, the caller's
 * reference, and the values of its metadata that are texts, numbers or booleans.
 */
export function termsOf({ providerEmail, billing, transactionId, metadata }: Searchable): string[] {
  const terms = new Set<string>()
  for (const email of [providerEmail, billing?.email]) if (email !== undefined) terms.add(emailTerm(email))
  if (transactionId !== undefined) terms.add(hash(`reference:${transactionId}`))
  const values = Object.values(metadata ?? {}).filter((value) => plainTypes.has(typeof value))
  for (const value of values.slice(0, maxMetadataTerms)) terms.add(hash(`metadata:${value}`))
  return [...terms]
}

/** The terms of all receipts that a text finds. */
export function termsFor(text: string): string[] {
  return [emailTerm(text), hash(`reference:${text}`), hash(`metadata:${text}`)]
}

const plainTypes: ReadonlySet<string> = new Set(['string', 'number', 'boolean'])

/** Only the letters of ASCII, as the database does it too: for others, case is a matter of language. */
function emailTerm(email: string): string {
  return hash(`email:${email.replace(/[A-Z]/g, (letter) => letter.toLowerCase())}`)
}

function hash(term: string): string {
  return createHash('sha256').update(term).digest('hex').slice(0, 32)
}
