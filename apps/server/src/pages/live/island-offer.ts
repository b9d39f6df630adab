import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { findNetwork } from '@sluice/protocol/networks/list.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { nativeSymbolOf } from '../../chain/networks.ts'
import { assert } from '../../kernel/assert.ts'
import type { PageContext } from '../panels/page-context.ts'
import type { IslandOffer } from './island-data.ts'

/** The offer of a checkout that can be paid. */
export function islandOffer(view: CheckoutView, context: PageContext): IslandOffer {
  const { attempt, chain } = view
  assert(attempt, 'a checkout that can be paid has an offer')
  const token = view.tokens.find((it) => it.symbol === attempt.token)
  assert(token, 'an offer is in a token that is offered')
  const native = tokenKinds.find(({ symbol }) => symbol === nativeSymbolOf(chain))
  assert(native, 'what gas is paid in is a token')
  return {
    chain: {
      id: chain.id,
      name: chain.name,
      rpcUrl: context.localRpcUrl ?? findNetwork(chain.id)?.publicRpcUrl ?? null,
      explorerUrl: chain.explorerUrl,
      coin: { name: native.name, symbol: native.symbol, decimals: native.decimals },
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
