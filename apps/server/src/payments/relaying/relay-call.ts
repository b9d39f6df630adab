import type { Token } from '@sluice/protocol/tokens/token.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, parseAbi } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import {
  openSender,
  type TransactionOrder,
  type TransactionSender,
} from '../../chain/transactions/transaction.ts'
import { assert } from '../../kernel/assert.ts'
import { type Authorization, authorizationOf, type RelayedPayment, textOfRelay } from './authorization.ts'
import { pullCall, splitSignature } from './permit.ts'
import { permit2Call } from './permit2.ts'

export const authorizationAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
])

const bySplitSignature = '0xe3ee160e'
const byBytes = '0xcf092995'
const byPull = '0x78a2228c'
const byPermit2 = '0x220d8f38'

export function relayOrder(
  { pullFactory }: Pick<Chain, 'pullFactory'>,
  relay: RelayedPayment,
  mostFee: bigint,
): TransactionOrder {
  const { way, payer, signature } = relay
  assert(
    way === 'authorization' || pullFactory,
    'permits are accepted only on chains where they can be submitted',
  )
  const pulled = way === 'permit2' ? permit2Call : pullCall
  return {
    kind: 'relay',
    detail: {
      authorization: textOfRelay(relay),
      mostFee: mostFee.toString(),
      validBefore: relay.validBefore.toString(),
    },
    ...(way !== 'authorization' && pullFactory
      ? { to: pullFactory, data: pulled(relay, payer, signature) }
      : { to: relay.tokenAddress, data: transferCall(authorizationOf(relay), signature) }),
  }
}

/** Encodes the transfer. A 65-byte signature is passed as `v, r, s`, which every token version supports. */
export function transferCall(authorization: Authorization, signature: Hex): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const signed = [from, to, value, validAfter, validBefore, nonce] as const
  const functionName = 'transferWithAuthorization'
  if (signature.length !== 132)
    return encodeFunctionData({ abi: authorizationAbi, functionName, args: [...signed, signature] })
  const { v, r, s } = splitSignature(signature)
  return encodeFunctionData({ abi: authorizationAbi, functionName, args: [...signed, v, r, s] })
}

/**
 * Opens the relayer's account, restricted to three kinds of transaction.
 *
 * Two move a listed token: a transfer by signature, and a pull by the factory. The third is an empty
 * transaction to itself, which closes a nonce gap.
 */
export function openRelaySender(
  privateKey: Hex,
  { tokens, pullFactory }: { tokens: readonly Token[]; pullFactory: Wallet | undefined },
): TransactionSender {
  const sender = openSender(privateKey)
  const listed = new Set<Wallet>(
    tokens.map(({ address }) => address).filter((address) => address !== nativeAddress),
  )
  return {
    address: sender.address,
    sign(chain, order, terms) {
      const isTransfer =
        listed.has(order.to) && (order.data.startsWith(bySplitSignature) || order.data.startsWith(byBytes))
      const isPull = order.to === pullFactory && listed.has(pulledToken(order.data) ?? nativeAddress)
      const isFill = order.to === sender.address && order.data === '0x'
      assert(
        isTransfer || isPull || isFill,
        'the relayer only signs transfers of listed tokens that their payers signed',
      )
      return sender.sign(chain, order, terms)
    },
  }
}

function pulledToken(data: Hex): Wallet | undefined {
  // Skips the selector, the deposit's word and the padding of the token's address.
  const isPull = data.startsWith(byPull) || data.startsWith(byPermit2)
  return isPull ? parseWallet(`0x${data.slice(10 + 64 + 24, 10 + 128)}`) : undefined
}
