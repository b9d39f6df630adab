import type { AttemptRequest, AttemptView } from '@sluice/protocol/api/checkout.ts'
import { describeFailure } from '@sluice/protocol/failures.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, hexToBigInt, parseAbi } from 'viem'
import type { Chain } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { type Clock, wait } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import { invalidInput, Refusal } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Log } from '../../platform/log.ts'
import { getRate } from '../../pricing/rates/find-rate.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import { changeStatus } from '../../receipts/change-status.ts'
import { customerTotalCents, type Receipt } from '../../receipts/receipt.ts'
import { findCurrentSplit, findSplitVersion } from '../../split/find-split.ts'
import type { Split } from '../../split/split.ts'
import type { DepositReferences } from '../attempts/references.ts'
import { viewAttempt } from '../attempts/view-attempt.ts'
import { type Offer, openOffer, type ReserveStock, refuseIfOver } from './open-offer.ts'

/** What opening an attempt leans on. */
export type OpenAttemptNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly chain: Chain
  readonly references: DepositReferences
  readonly offer: { readonly rates: RateBook; readonly minCents: bigint; readonly maxCents: bigint }
  readonly reserveStock?: ReserveStock
}

/**
 * Offers to pay a receipt in a token, at the rate of now. Safe to repeat: while an offer in the same token
 * stands it is given again, also to callers at the same moment.
 *
 * @param by - `buyer`: somebody, or a wallet, asks in order to pay, which holds the receipt against edits. `page`: one
 * was opened; that changes no status and holds nothing.
 * @throws {Refusal} `invalid_input` (no such token; paid, cancelled, expired or fully sent already), `invalid_amount`
 * (outside the limits: the receipt has failed, where a buyer asked), `split_required`.
 * @throws {RateUnavailable}
 * @throws {ChainUnavailable} within three seconds; also where its time differs from this machine's.
 */
export async function openAttempt(
  needs: OpenAttemptNeeds,
  receipt: Receipt,
  request: AttemptRequest,
  by: 'buyer' | 'page',
): Promise<AttemptView> {
  return openPrepared(needs, receipt, await prepareAttempt(needs, receipt, request, by))
}

/**
 * All that an offer needs to know of the world: nothing is asked of it while rows are locked.
 *
 * @throws {Refusal} as {@link openAttempt}.
 */
export async function prepareAttempt(
  needs: OpenAttemptNeeds,
  receipt: Receipt,
  request: AttemptRequest,
  by: 'buyer' | 'page',
  address?: string,
): Promise<PreparedOffer> {
  const token = needs.chain.tokens.find(({ symbol }) => symbol === request.token)
  if (!token) throw invalidInput({ path: 'token', message: 'is not accepted here' })
  const payer = request.payer === undefined ? undefined : parseWallet(request.payer)
  if (request.payer !== undefined && !payer)
    throw invalidInput({ path: 'payer', message: 'must be 0x followed by 40 hexadecimal digits' })

  const inTime = limitWait(needs.clock)
  // Without a look at the chain nobody knows what time it is there.
  if (needs.chain.time.behindMs === undefined) await inTime(needs.chain.readHead())
  refuseIfOver(receipt, needs.chain.time.now())
  const split = await getPayableSplit(needs, receipt)
  await refuseOutsideLimits(needs, receipt, needs.offer, by)
  const rate = await getRate({ rates: needs.offer.rates }, token.symbol)
  const allowance = payer ? await inTime(readAllowance(needs.chain, token, payer, split.address)) : 0n
  return { token, payer, split, rate, by, allowance, ...(address !== undefined && { address }) }
}

/** Opens what was prepared, or gives the offer that stands. */
export async function openPrepared(
  needs: OpenAttemptNeeds,
  receipt: Receipt,
  { allowance, ...offer }: PreparedOffer,
): Promise<AttemptView> {
  const { attempt, remaining } = await needs.db.transaction((tx) =>
    openOffer({ ...needs, tx }, receipt, offer),
  )
  return viewAttempt(attempt, remaining, allowance)
}

/** An offer that is only to be stored, and what the payer lets the split take already. */
export type PreparedOffer = Offer & { readonly allowance: bigint }

/**
 * The split a receipt is paid through.
 *
 * @throws {Refusal} `split_required` where the merchant cannot be paid yet.
 */
export async function getPayableSplit(
  needs: { db: Database; chain: Chain },
  receipt: Receipt,
): Promise<Split> {
  const { merchant, splitVersion } = receipt
  const split =
    splitVersion === undefined
      ? await findCurrentSplit(needs.db, merchant)
      : await findSplitVersion(needs.db, merchant, splitVersion)
  if (split?.deployedAt === undefined || split.chain !== needs.chain.id)
    throw new Refusal('split_required', 'This merchant cannot accept payments yet')
  return split
}

/**
 * Outside the limits the receipt fails where a buyer asked, and that is kept, although the caller is refused.
 *
 * @throws {Refusal} `invalid_amount`
 */
export async function refuseOutsideLimits(
  needs: Pick<OpenAttemptNeeds, 'db' | 'clock' | 'random' | 'log'>,
  receipt: Receipt,
  { minCents, maxCents }: { readonly minCents: bigint; readonly maxCents: bigint },
  by: 'buyer' | 'page',
): Promise<void> {
  const total = customerTotalCents(receipt)
  if (total >= minCents && total <= maxCents) return
  const failureCode = total < minCents ? 'PORTAL_PAY_AMOUNT_BELOW_MINIMUM' : 'PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM'
  const failure = describeFailure(failureCode)
  if (by === 'page') throw new Refusal('invalid_amount', failure.failureReason ?? failureCode, failure)
  const change = await needs.db.transaction((tx) =>
    changeStatus({ ...needs, tx }, receipt.merchant, receipt.id, {
      kind: 'failure_verified',
      detail: { failureCode },
      failure,
    }),
  )
  if (change.kind === 'moved') await notifyJob(needs.db, jobNames.deliverWebhooks)
  throw new Refusal('invalid_amount', failure.failureReason ?? failureCode, failure)
}

const allowanceAbi = parseAbi(['function allowance(address owner, address spender) view returns (uint256)'])

/** What the payer lets the split take; zero if the token does not say. */
async function readAllowance(chain: Chain, token: Token, payer: Wallet, split: Wallet): Promise<bigint> {
  if (token.address === nativeAddress) return 0n
  const data = encodeFunctionData({ abi: allowanceAbi, functionName: 'allowance', args: [payer, split] })
  const answer = await chain.call(token.address, data)
  return answer.ok && answer.data.length === 66 ? hexToBigInt(answer.data) : 0n
}

/** A buyer waits no longer than three seconds for a chain that hangs; the rest is for the database. */
const longestWaitMs = 2_500

/** One limit for all that a request asks of the chain. Past it the answer is a {@link ChainUnavailable}. */
function limitWait(clock: Clock): <T>(asked: Promise<T>) => Promise<T> {
  const over = wait(clock, longestWaitMs).then((): never => {
    throw new ChainUnavailable('The chain does not answer in time')
  })
  over.catch(() => {})
  return (asked) => Promise.race([asked, over])
}
