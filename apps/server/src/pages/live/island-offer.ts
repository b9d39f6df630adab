import { createHash } from 'node:crypto'
import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { permit2Address } from '@sluice/contracts/abi/Permit2.ts'
import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { describeToken } from '@sluice/protocol/networks/describe-token.ts'
import { findNetwork } from '@sluice/protocol/networks/list.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex, zeroHash } from 'viem'
import { nativeSymbolOf } from '../../chain/networks.ts'
import { assert } from '../../kernel/assert.ts'
import type { Checkout } from '../panels/load-checkout.ts'
import type { PageContext } from '../panels/page-context.ts'
import type { IslandOffer, LiveStatus } from './island-data.ts'

export function islandOffer(view: CheckoutView, context: PageContext, signingScript: string): IslandOffer {
  const { attempt, chain } = view
  assert(attempt, 'a checkout that can be paid has an offer')
  const token = view.tokens.find((it) => it.symbol === attempt.token)
  assert(token, 'the token of an offer is available')
  const native = tokenKinds.find(({ symbol }) => symbol === nativeSymbolOf(chain))
  assert(native, 'the native token is a listed token')
  const kind = tokenKinds.find(({ symbol }) => symbol === token.symbol)
  const signing = kind && describeToken(kind, token.address as Wallet).signing
  const isSignable = [...view.signableTokens, ...view.permit2Tokens].includes(token.symbol)
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
      minDecimals: kind?.isStablecoin ? 2 : 0,
      address: token.address === nativeAddress ? null : token.address,
    },
    permit: signing ? permitOf(attempt, token.address, signing.version) : null,
    signing: isSignable
      ? {
          script: signingScript,
          requestPath: context.apiPathTo('signature-request'),
          submitPath: context.apiPathTo('signatures'),
          approved: view.permit2Tokens.includes(token.symbol) ? permit2Address : null,
        }
      : null,
    attemptId: attempt.attemptId,
    amount: attempt.remaining,
    received: view.payment.received,
    calls: attempt.calls.map(({ kind, to, data, value }) => ({ kind, to, data, value })),
    attemptsPath: context.apiPathTo('attempts'),
  }
}

/** A permit expires after the price, so that a last-moment confirmation pays late instead of failing. */
const permitAfterPriceMs = 3_600_000
const wordLength = 64

function permitOf(attempt: AttemptView, token: string, version: string): IslandOffer['permit'] {
  const deadline = BigInt(Math.floor((attempt.expiresAt + permitAfterPriceMs) / 1_000))
  const amount = BigInt(attempt.remaining)
  const data = encodeFunctionData({
    abi: merchantSplitAbi,
    functionName: 'payWithPermit',
    args: [token as Hex, amount, attempt.reference as Hex, deadline, 0, zeroHash, zeroHash],
  })
  return {
    version,
    spender: attempt.payTo,
    deadline: String(deadline),
    data: data.slice(0, -3 * wordLength),
  }
}

/**
 * Returns the compact status of a checkout.
 *
 * Offers do not change the version: a new offer in another tab or an expired quote must not replace the panel
 * during a payment.
 */
export function liveStatus({ view, panel }: Checkout): LiveStatus {
  const { payment } = view
  const isOpen = ['none', 'awaiting', 'expired'].includes(payment.state)
  const money = isOpen ? null : [payment.state, payment.received, payment.missing, payment.excess]
  const { failure, refunds, cancelledAt, returnUrl, transactionHash, unmatched } = view
  const { state: signed, transactionHash: signedHash } = view.signedPayment ?? {}
  const rest = [failure, refunds, cancelledAt, returnUrl, transactionHash, payment.transactionHash, unmatched]
  // Omitted if nothing was signed, so that the versions of already open pages stay valid.
  if (signed) rest.push(signed, signedHash ?? null)
  if (view.onramp?.session) rest.push(view.onramp.session)
  if (view.onramp?.methods.length === 0) rest.push('confirming')
  return {
    version: createHash('sha256')
      .update(JSON.stringify([view.status, view.canPay, money, ...rest]))
      .digest('base64url')
      .slice(0, 12),
    panel,
    confirmations: payment.confirmations,
    requiredConfirmations: payment.requiredConfirmations,
  }
}
