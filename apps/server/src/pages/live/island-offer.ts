import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { assert } from '../../kernel/assert.ts'
import type { PageContext } from '../panels/page-context.ts'
import type { IslandOffer } from './island-data.ts'

/** A chain's public endpoint, given to a wallet that does not know the chain. */
const publicRpcUrls: Readonly<Record<number, string>> = {
  8453: 'https://mainnet.base.org',
  84532: 'https://sepolia.base.org',
}

/** The offer of a checkout that can be paid. */
export function islandOffer(view: CheckoutView, context: PageContext): IslandOffer {
  const { attempt, chain } = view
  assert(attempt, 'a checkout that can be paid has an offer')
  const token = view.tokens.find((it) => it.symbol === attempt.token)
  assert(token, 'an offer is in a token that is offered')
  return {
    chain: {
      id: chain.id,
      name: chain.name,
      rpcUrl: context.localRpcUrl ?? publicRpcUrls[chain.id] ?? null,
      explorerUrl: chain.explorerUrl,
    },
    token: {
      symbol: token.symbol,
      decimals: token.decimals,
      address: token.address === nativeAddress ? null : token.address,
    },
    attemptId: attempt.attemptId,
    amount: attempt.remaining,
    received: view.payment.received,
    calls: attempt.calls.map(({ kind, to, data, value }) => ({ kind, to, data, value })),
    attemptsPath: context.apiPathTo('attempts'),
  }
}
