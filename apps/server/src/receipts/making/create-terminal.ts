import type { TerminalRequest } from '@sluice/protocol/api/receipts/terminal.ts'
import { type Cents, formatUnits, maxCents, readCents } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { findSigningKey } from '../../access/keys/key-store.ts'
import { ApiError, type Issue, invalidInput } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { makeReceiptId } from '../../kernel/generate-id.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import {
  type FindOwnTaxRate,
  getTaxRate,
  parseTaxRate,
  taxOn,
  writeTaxRate,
} from '../../pricing/taxes/tax-rate.ts'
import type { Brand } from '../../site/brand.ts'
import { type Currency, isPast, type Receipt, type Tax } from '../receipt.ts'
import { findReceiptHome, makeReceipt, priceReceipt, storeMadeReceipt } from './make-receipt.ts'
import type { RequestedLines } from './parse-lines.ts'
import { hashContent, parseOptions, pastExpiry } from './parse-options.ts'

export type TerminalNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly deadlines: Pick<Clock, 'now'>
  readonly random: Random
  readonly rates: RateBook
  readonly brand: Brand
  readonly site: { readonly isProduction: boolean }
  /** Absent if the deployment has no merchant tax rates. */
  readonly findOwnTaxRate?: FindOwnTaxRate | undefined
}

/**
 * Creates a point-of-sale receipt in status `generated` from one amount. Tax is a separate line if a rate or
 * a jurisdiction is given, even if it is zero.
 *
 * Webhooks are signed with the merchant's oldest subscription, if there is one.
 *
 * See docs/contract.md#terminal.
 *
 * @throws {ApiError} in this order: `invalid_amount`, `invalid_input`, `split_required`,
 * `exchange_rate_unavailable`.
 */
export async function createTerminalReceipt(
  needs: TerminalNeeds,
  merchant: Wallet,
  body: TerminalRequest,
): Promise<Receipt> {
  const base = parseAmount(body)
  const issues: Issue[] = []
  const options = parseOptions(body, needs.site, issues)
  if (isPast(options.expiresAt, needs.deadlines.now())) issues.push(pastExpiry)
  if (issues.length > 0) throw invalidInput(...issues)
  const { tax, taxCents } = await findTax(needs, merchant, body, base.cents)
  const lines = linesOf(base, body.label ?? 'Sale', taxCents)
  const { db } = needs
  const home = await findReceiptHome(db, merchant)
  if (!home.split)
    throw new ApiError(
      'split_required',
      'Before you accept payments, configure a split in the web app at /app/split',
    )
  const [key, priced] = await Promise.all([findSigningKey(db, merchant), priceReceipt(needs, lines)])
  const id = makeReceiptId(needs.random) as ReceiptId
  const contentHash = hashContent({ id, ...lines, ...options, tax })
  const made = {
    ...priced,
    ...options,
    id,
    tax,
    contentHash,
    origin: 'terminal',
    status: 'generated',
  } as const
  const receipt = makeReceipt(needs, merchant, key, made, home)
  await db.transaction((tx) => storeMadeReceipt(tx, receipt))
  return receipt
}

type Base = { readonly cents: Cents; readonly currency: Currency; readonly isNative: boolean }

function parseAmount({ amountUsd, amount, currency: sent = 'USD' }: TerminalRequest): Base {
  const currency = sent.toUpperCase()
  if (currency !== 'USD' && currency !== 'EUR')
    throw invalidInput({ path: 'currency', message: 'must be USD or EUR' })
  if ((amountUsd === undefined) === (amount === undefined))
    throw invalidAmount('Send either amountUsd (in US dollars) or amount (in currency)')
  if (amountUsd !== undefined && currency !== 'USD')
    throw invalidAmount(`amountUsd is in US dollars; for ${currency}, send amount`)
  const cents = readCents(amountUsd ?? amount)
  if (typeof cents !== 'bigint' || cents <= 0n)
    throw invalidAmount('The amount must be a number greater than zero with at most two decimals')
  return { cents, currency, isNative: amount !== undefined }
}

async function findTax(
  needs: TerminalNeeds,
  merchant: Wallet,
  { jurisdictionCode, taxRate, taxComponents }: TerminalRequest,
  base: Cents,
): Promise<{ tax: Tax | undefined; taxCents: Cents | undefined }> {
  if (jurisdictionCode !== undefined) {
    const request = { jurisdictionCode, taxRate, taxComponents, isTaxable: true }
    const found = await getTaxRate({ findOwnRate: needs.findOwnTaxRate }, merchant, request)
    const tax = {
      jurisdictionCode: found.jurisdictionCode,
      taxRate: writeTaxRate(found.rate),
      taxComponents: found.components,
    }
    return { tax, taxCents: taxOn(base, found.rate) }
  }
  if (taxRate === undefined && taxComponents === undefined) return { tax: undefined, taxCents: undefined }
  const taxCents = taxRate === undefined ? undefined : taxOn(base, parseTaxRate(taxRate))
  return { tax: { jurisdictionCode, taxRate, taxComponents }, taxCents }
}

function linesOf(
  { cents, currency, isNative }: Base,
  label: string,
  taxCents: Cents | undefined,
): RequestedLines {
  const amounts = [{ label, cents }, ...(taxCents === undefined ? [] : [{ label: 'Tax', cents: taxCents }])]
  const totalCents = (cents + (taxCents ?? 0n)) as Cents
  if (totalCents > maxCents)
    throw invalidAmount(
      `The total with tax is ${formatUnits(totalCents, 2)}, but the maximum is ${formatUnits(maxCents, 2)}`,
    )
  const lines = amounts.map((line) => ({ label: line.label, qty: undefined, cents: line.cents }))
  if (isNative) {
    const native = lines.map(({ cents: nativeCents, ...line }) => ({ ...line, nativeCents }))
    return { format: 'native', currency, totalCents, lines: native }
  }
  const legacy = lines.map(({ cents: usdCents, ...line }) => ({ ...line, usdCents, sentUsdCents: usdCents }))
  return { format: 'legacy', currency: 'USD', totalCents, lines: legacy }
}

function invalidAmount(message: string): ApiError {
  return new ApiError('invalid_amount', message)
}
