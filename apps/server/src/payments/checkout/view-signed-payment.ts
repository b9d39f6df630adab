import type { SignedPaymentView } from '@sluice/protocol/api/paying/signed-payments.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { Chain } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-unavailable.ts'
import { customerTotalCents, type Receipt } from '../../receipts/receipt.ts'
import type { RelayedPayment } from '../relaying/authorization.ts'
import type { Submitter } from '../relaying/submitter.ts'

/** A signed payment as its buyer sees it. */
export function viewSignedPayment(relay: RelayedPayment): SignedPaymentView {
  return {
    state: relay.state,
    reason: relay.reason ?? null,
    attemptId: relay.attemptId,
    payer: relay.payer,
    amount: relay.amount.toString(),
    transactionHash: relay.txHash ?? null,
    createdAt: relay.createdAt,
  }
}

/**
 * The symbols of the tokens in which one signature pays a receipt now: none where the relayer has no gas, the receipt
 * is too small or settled. That the chain cannot be asked shows as none.
 */
export async function listSignableTokens(
  { chain, relayer }: { chain: Pick<Chain, 'tokens'>; relayer: Submitter | undefined },
  receipt: Receipt,
): Promise<string[]> {
  if (!relayer || isSettled(receipt.status) || customerTotalCents(receipt) < relayer.terms.minCents) return []
  try {
    if ((await relayer.readState()).fault) return []
    const ways = await Promise.all(chain.tokens.map((token) => relayer.tokens.findWay(token)))
    return chain.tokens.flatMap(({ symbol }, i) => (ways[i] ? [symbol] : []))
  } catch (error) {
    if (error instanceof ChainUnavailable) return []
    throw error
  }
}
