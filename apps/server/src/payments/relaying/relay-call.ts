import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, parseAbi } from 'viem'
import type { Hex } from '../../chain/chain.ts'
import {
  openSender,
  type TransactionOrder,
  type TransactionSender,
} from '../../chain/transactions/transaction.ts'
import { assert } from '../../kernel/assert.ts'
import { type Authorization, authorizationOf, type RelayedPayment, textOfRelay } from './authorization.ts'

/** What EIP-3009 calls and tells; the overload with bytes takes smart accounts' signatures too. */
export const authorizationAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
])

const bySplitSignature = '0xe3ee160e'
const byBytes = '0xcf092995'

/** The transaction that submits a signed payment. */
export function relayOrder(relay: RelayedPayment, mostFee: bigint): TransactionOrder {
  return {
    kind: 'relay',
    detail: {
      authorization: textOfRelay(relay),
      mostFee: mostFee.toString(),
      validBefore: relay.validBefore.toString(),
    },
    to: relay.tokenAddress,
    data: transferCall(authorizationOf(relay), relay.signature),
  }
}

/**
 * The token's call that moves the money. A signature of 65 bytes is handed over in parts, which every version of
 * the token understands; any other as it is.
 */
export function transferCall(authorization: Authorization, signature: Hex): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const signed = [from, to, value, validAfter, validBefore, nonce] as const
  const functionName = 'transferWithAuthorization'
  if (signature.length !== 132)
    return encodeFunctionData({ abi: authorizationAbi, functionName, args: [...signed, signature] })
  const r = signature.slice(0, 66) as Hex
  const s = `0x${signature.slice(66, 130)}` as const
  const v = Number.parseInt(signature.slice(130), 16)
  return encodeFunctionData({
    abi: authorizationAbi,
    functionName,
    // Hardware wallets count from 0.
    args: [...signed, v < 27 ? v + 27 : v, r, s],
  })
}

/**
 * The relayer's account, which signs nothing but a listed token's transfer by signature, and the empty transaction to
 * itself that closes a gap between nonces.
 */
export function openRelaySender(privateKey: Hex, tokens: readonly Token[]): TransactionSender {
  const sender = openSender(privateKey)
  const listed = new Set<Wallet>(tokens.map(({ address }) => address))
  return {
    address: sender.address,
    sign(chain, order, terms) {
      const isTransfer =
        listed.has(order.to) && (order.data.startsWith(bySplitSignature) || order.data.startsWith(byBytes))
      const isFill = order.to === sender.address && order.data === '0x'
      assert(
        isTransfer || isFill,
        'the relayer signs transfers of listed tokens by their payers’ signatures only',
      )
      return sender.sign(chain, order, terms)
    },
  }
}
