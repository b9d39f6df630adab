import { type Cents, type TokenUnits, tokenUnitsFor } from '@sluice/protocol/money.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import { ApiError, invalidInput } from '../../kernel/api-error.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import { generateId } from '../../kernel/generate-id.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { cursorNames } from '../../platform/jobs/names.ts'
import type { Rate } from '../../pricing/rates/rate.ts'
import { customerTotalCents, type Receipt, standingOf } from '../../receipts/receipt.ts'
import type { DueReceipt } from '../../receipts/receipt-due.ts'
import { recordProgress } from '../../receipts/record-progress.ts'
import { lockReceipt } from '../../receipts/store.ts'
import type { Split } from '../../split/split.ts'
import { type Attempt, isOpen, providerHoldsMs, quoteHoldsMs } from '../attempts/attempt.ts'
import { type DepositReferences, depositAddress } from '../attempts/references.ts'
import { closeAttempts, insertAttempt, listAttempts, markAsked } from '../attempts/store.ts'
import { findCursor, findTags } from '../cursors/store.ts'
import { askedUnits, isEnough, typeableUnits, worthInCents } from '../ledger/evaluate-payment.ts'
import { isLive, type Payment } from '../ledger/payment.ts'
import { listPayments } from '../ledger/store.ts'
import { summarizePayments } from '../ledger/summarize-payments.ts'

export type Offer = {
  readonly token: Token
  readonly payer: Wallet | undefined
  readonly split: Split
  readonly rate: Rate
  readonly by: 'buyer' | 'page'
  readonly provider?: string
  readonly address?: string
}

export type ReserveStock = (tx: Database, receipt: DueReceipt, address: string) => Promise<void>

export type OpenOfferNeeds = {
  readonly tx: Database
  readonly clock: Clock
  readonly random: Random
  readonly chain: Chain
  readonly reserveStock?: ReserveStock
  readonly references: DepositReferences
}

/**
 * Opens a prepared offer, or returns the offer that is already open, under the receipt's lock.
 *
 * @throws {ApiError} `invalid_input` if nothing is left to pay; `attempt_open` if a provider would deliver
 * while other payments are unconfirmed: a reorg could remove them after the provider was paid.
 */
export async function openOffer(
  needs: OpenOfferNeeds,
  { merchant, id }: Pick<Receipt, 'merchant' | 'id'>,
  offer: Offer,
): Promise<{ receipt: Receipt; attempt: Attempt; remaining: TokenUnits }> {
  const { tx, clock, chain } = needs
  const receipt = await lockReceipt(tx, merchant, id)
  assert(receipt, 'a receipt is never deleted')
  const now = chain.time.now()
  refuseIfOver(receipt, now)
  const total = customerTotalCents(receipt)
  const attempts = await listAttempts(tx, merchant, id)
  const payments = await listPayments(tx, merchant, id)
  const live = payments.filter(isLive)
  if (offer.provider !== undefined) refuseIfConfirming(live)

  const outdated = attempts.filter((each) => each.closedAt === undefined && each.totalCents !== total)
  await closeAttempts(tx, outdated, now)
  const dueCents = (total - worthInCents(live)) as Cents
  const standing = attempts.findLast(
    (each) =>
      each.token.address === offer.token.address &&
      each.splitAddress === offer.split.address &&
      each.provider === offer.provider &&
      (offer.provider === undefined || each.dueCents === dueCents) &&
      isOpen(each, now) &&
      !outdated.includes(each),
  )
  if (offer.address !== undefined) await needs.reserveStock?.(tx, { merchant, receiptId: id }, offer.address)
  const currentAttempt = (attempt: Attempt) => offer.by === 'buyer' && { currentAttempt: attempt.id }
  if (standing) {
    if (offer.by === 'buyer') await markAsked(tx, standing, now)
    if (offer.by === 'buyer' && receipt.currentAttempt !== standing.id)
      await recordProgress({ tx, clock }, merchant, id, { ...currentAttempt(standing) })
    return { receipt, attempt: standing, remaining: askedUnits(total, live, standing) }
  }
  if (isEnough(total, live))
    throw invalidInput({ path: '', message: 'The full amount has already been sent and is being confirmed' })
  chain.time.refuseIfOff()

  const cursor = await findCursor(tx, chain.id, cursorNames.transfers)
  const due = { dueCents, openedBlock: cursor?.number ?? 0n }
  const attempt = await createAttempt(needs, receipt, offer, due)
  const closed = attempts.map((each) => (outdated.includes(each) ? { ...each, closedAt: now } : each))
  const summary = summarizePayments({
    total,
    attempts: [...closed, attempt],
    payments,
    tags: await findTags(tx, chain.id),
    coveredTo: cursor?.at ?? (0 as UnixMs),
  })
  await recordProgress({ tx, clock }, merchant, id, {
    ...(summary && { payment: summary }),
    splitVersion: offer.split.version,
    ...currentAttempt(attempt),
    entries: [
      {
        kind: 'attempt_opened',
        detail: { attemptId: attempt.id, token: attempt.token.symbol, amount: attempt.amount.toString() },
      },
    ],
  })
  return { receipt, attempt, remaining: askedUnits(total, live, attempt) }
}

export async function createAttempt(
  needs: Omit<OpenOfferNeeds, 'clock'>,
  ...offer: [Receipt, Offer, { dueCents?: Cents; openedBlock: bigint }]
): Promise<Attempt> {
  // Other processes may use numbers of the same second, so each retry takes the next number.
  for (;;) {
    const attempt = makeAttempt(needs, ...offer)
    if (await insertAttempt(needs.tx, attempt)) return attempt
  }
}

function makeAttempt(
  needs: Omit<OpenOfferNeeds, 'tx' | 'clock'>,
  receipt: Receipt,
  { token, payer, split, rate, by, provider }: Offer,
  due: { dueCents?: Cents; openedBlock: bigint },
): Attempt {
  const now = needs.chain.time.now()
  const number = needs.references.next(now)
  const reference = needs.references.at(split.address, number)
  const quoteEnd = addMs(now, provider === undefined ? quoteHoldsMs : providerHoldsMs)
  // A provider's delivery may arrive after the receipt has expired.
  const expiresAt = provider === undefined ? receipt.expiresAt : undefined
  const totalCents = customerTotalCents(receipt)
  const { dueCents = totalCents, openedBlock } = due
  return {
    merchant: receipt.merchant,
    id: generateId(now, needs.random),
    receiptId: receipt.id,
    chain: needs.chain.id,
    token,
    totalCents,
    dueCents,
    amount: typeableUnits(tokenUnitsFor(dueCents, rate.usdPerUnit, token.decimals), {
      token,
      rate: rate.usdPerUnit,
    }),
    rate: rate.usdPerUnit,
    quote: { quotedAt: rate.quotedAt, provider: rate.provider, inputs: rate.inputs },
    reference,
    number,
    depositAddress: depositAddress(needs.chain.factory, split.address, reference),
    factory: needs.chain.factory,
    splitAddress: split.address,
    splitVersion: split.version,
    payer,
    provider,
    openedBlock,
    createdAt: now,
    expiresAt: expiresAt !== undefined && expiresAt < quoteEnd ? expiresAt : quoteEnd,
    askedAt: by === 'buyer' ? now : undefined,
    closedAt: undefined,
  }
}

/**
 * Rejects offers through a provider while payments are unconfirmed. Ignores amounts below a cent: a stranger
 * could send them repeatedly to block the receipt.
 *
 * @throws {ApiError} `attempt_open`
 */
function refuseIfConfirming(live: readonly Payment[]): void {
  const credited = live.filter(({ state }) => state === 'credited')
  if (worthInCents(live) === worthInCents(credited)) return
  throw new ApiError('attempt_open', 'Your payment is being confirmed. You can then pay the rest')
}

/**
 * @throws {ApiError} `invalid_input` if the receipt is paid, canceled or expired, or if a bank payment is
 * pending.
 */
export function refuseIfOver(receipt: Receipt, now: UnixMs): void {
  const standing = standingOf(receipt, now)
  if (standing !== 'open') throw invalidInput({ path: '', message: whyOver[standing] })
}

const whyOver = {
  paid: 'This receipt has already been paid',
  settling: 'A bank payment for this receipt is being settled',
  cancelled: 'This receipt has been cancelled',
  expired: 'This receipt has expired',
} as const
