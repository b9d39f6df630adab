import type { AttemptRequest, AttemptView } from '@sluice/protocol/api/checkout.ts'
import { describeFailure } from '@sluice/protocol/failures.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, hexToBigInt, parseAbi } from 'viem'
import type { Chain } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { ApiError, invalidInput } from '../../kernel/api-error.ts'
import { type Clock, wait } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
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
 * Offers to pay a receipt in a token at the current rate. Safe to repeat, even concurrently: if an offer in
 * the same token is open, returns that offer.
 *
 * See docs/contract.md#attempts.
 *
 * @param by - `buyer`: an intent to pay, which blocks edits of the receipt. `page`: a page view, which blocks
 * nothing.
 * @throws {ApiError} `invalid_input` (unknown token; the receipt is paid, canceled, expired or fully sent),
 * `invalid_amount` (outside the limits; the receipt fails if a buyer asked), `split_required`.
 * @throws {RateUnavailable}
 * @throws {ChainUnavailable} within three seconds; also if the chain's time differs from this machine's
 * clock.
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
 * Makes all external calls for an offer, so that no call is made while rows are locked.
 *
 * @throws {ApiError} as {@link openAttempt}.
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
  if (needs.chain.time.behindMs === undefined) await inTime(needs.chain.readHead())
  refuseIfOver(receipt, needs.chain.time.now())
  const split = await getPayableSplit(needs, receipt)
  await refuseOutsideLimits(needs, receipt, needs.offer, by)
  const rate = await getRate({ rates: needs.offer.rates }, token.symbol)
  const allowance = payer ? await inTime(readAllowance(needs.chain, token, payer, split.address)) : 0n
  return { token, payer, split, rate, by, allowance, ...(address !== undefined && { address }) }
}

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

export type PreparedOffer = Offer & { readonly allowance: bigint }

/**
 * Returns the split that receives the payment of a receipt.
 *
 * @throws {ApiError} `split_required` if the merchant cannot be paid yet.
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
    throw new ApiError('split_required', 'This merchant cannot accept payments yet')
  return split
}

/**
 * Checks the amount limits. If a buyer asked, commits the receipt's failure before throwing.
 *
 * @throws {ApiError} `invalid_amount`
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
  if (by === 'page') throw new ApiError('invalid_amount', failure.failureReason ?? failureCode, failure)
  const change = await needs.db.transaction((tx) =>
    changeStatus({ ...needs, tx }, receipt.merchant, receipt.id, {
      kind: 'failure_verified',
      detail: { failureCode },
      failure,
    }),
  )
  if (change.kind === 'moved') await notifyJob(needs, jobNames.deliverWebhooks)
  throw new ApiError('invalid_amount', failure.failureReason ?? failureCode, failure)
}

const allowanceAbi = parseAbi(['function allowance(address owner, address spender) view returns (uint256)'])

async function readAllowance(chain: Chain, token: Token, payer: Wallet, split: Wallet): Promise<bigint> {
  if (token.address === nativeAddress) return 0n
  const data = encodeFunctionData({ abi: allowanceAbi, functionName: 'allowance', args: [payer, split] })
  const response = await chain.call(token.address, data)
  return response.ok && response.data.length === 66 ? hexToBigInt(response.data) : 0n
}

/**
 * A buyer waits at most three seconds if the chain does not respond; the remaining time is for the database.
 */
const longestWaitMs = 2_500

function limitWait(clock: Clock): <T>(asked: Promise<T>) => Promise<T> {
  const over = wait(clock, longestWaitMs).then((): never => {
    throw new ChainUnavailable('The chain did not respond in time')
  })
  over.catch(() => {})
  return (asked) => Promise.race([asked, over])
}
