import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { SignedPaymentView } from '@sluice/protocol/api/paying/signed-payments.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Chain } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { customerTotalCents, type Receipt } from '../../receipts/receipt.ts'
import type { RelayedPayment, SigningKind } from '../relaying/authorization.ts'
import type { Submitter } from '../relaying/relayer.ts'

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
 * The symbols of the tokens in which one signature pays a receipt now, and of those in which it does for wallets that
 * have approved Permit2: none where the relayer has no gas, the receipt is too small or settled. That the chain cannot
 * be asked shows as none.
 */
export async function listSignableTokens(
  { chain, relayer }: { chain: Pick<Chain, 'tokens'>; relayer: Submitter | undefined },
  receipt: Receipt,
): Promise<Pick<CheckoutView, 'signableTokens' | 'permit2Tokens'>> {
  const none = { signableTokens: [], permit2Tokens: [] }
  if (!relayer || isSettled(receipt.status) || customerTotalCents(receipt) < relayer.terms.minCents)
    return none
  const findKind = async (token: Token) => {
    const kind = (await relayer.tokens.findWay(token))?.kind
    return kind && !(await relayer.readState(kind)).fault ? kind : undefined
  }
  try {
    const kinds = await Promise.all(chain.tokens.map(findKind))
    const symbolsOf = (isWanted: (kind: SigningKind) => boolean) =>
      chain.tokens.flatMap(({ symbol }, i) => (kinds[i] && isWanted(kinds[i]) ? [symbol] : []))
    return {
      signableTokens: symbolsOf((kind) => kind !== 'permit2'),
      permit2Tokens: symbolsOf((kind) => kind === 'permit2'),
    }
  } catch (error) {
    if (error instanceof ChainUnavailable) return none
    throw error
  }
}
