import { createHash } from 'node:crypto'
import type { Receipt } from './receipt.ts'

/** Maximum number of metadata values per receipt that are indexed for search. */
export const maxMetadataTerms = 64

export type Searchable = Pick<Receipt, 'providerEmail' | 'billing' | 'transactionId' | 'metadata'>

/**
 * Returns the search terms of a receipt as `receipt_term` stores them. They cover e-mail addresses
 * (case-insensitive), the caller's reference, and metadata values that are strings, numbers or booleans.
 */
export function termsOf({ providerEmail, billing, transactionId, metadata }: Searchable): string[] {
  const terms = new Set<string>()
  for (const email of [providerEmail, billing?.email]) if (email !== undefined) terms.add(emailTerm(email))
  if (transactionId !== undefined) terms.add(hash(`reference:${transactionId}`))
  const values = Object.values(metadata ?? {}).filter((value) => plainTypes.has(typeof value))
  for (const value of values.slice(0, maxMetadataTerms)) terms.add(hash(`metadata:${value}`))
  return [...terms]
}

export function termsFor(text: string): string[] {
  return [emailTerm(text), hash(`reference:${text}`), hash(`metadata:${text}`)]
}

const plainTypes: ReadonlySet<string> = new Set(['string', 'number', 'boolean'])

/** Lowercases ASCII letters only, as the database does: the case of other letters depends on the language. */
function emailTerm(email: string): string {
  return hash(`email:${email.replace(/[A-Z]/g, (letter) => letter.toLowerCase())}`)
}

function hash(term: string): string {
  return createHash('sha256').update(term).digest('hex').slice(0, 32)
}
