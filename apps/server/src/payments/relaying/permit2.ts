import { permit2Address as canonicalAddress, permit2Abi } from '@sluice/contracts/abi/Permit2.ts'
import { pullFactoryAbi } from '@sluice/contracts/abi/PullFactory.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import {
  domainSeparator,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  hashTypedData,
  hexToBigInt,
  keccak256,
} from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import type { Authorization, RelayError, RelayedPayment } from './authorization.ts'
import { validateSigner } from './validate-authorization.ts'

export const permit2Address = parseWallet(canonicalAddress) as Wallet

export type Permit2Transfer = {
  readonly permitted: { readonly token: Wallet; readonly amount: bigint }
  readonly spender: Wallet
  readonly nonce: bigint
  /** Unix seconds, inclusive. */
  readonly deadline: bigint
  readonly witness: { readonly to: Wallet }
}

export const permit2Types = {
  PermitWitnessTransferFrom: [
    { name: 'permitted', type: 'TokenPermissions' },
    { name: 'spender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
    { name: 'witness', type: 'Payment' },
  ],
  Payment: [{ name: 'to', type: 'address' }],
  TokenPermissions: [
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
} as const

export function permit2Domain(chainId: number) {
  return { name: 'Permit2', chainId, verifyingContract: permit2Address } as const
}

type Pull = Pick<RelayedPayment, 'depositAddress' | 'tokenAddress' | 'amount' | 'validBefore'>

/** Returns the only message that the pull factory accepts for this payment. */
export function permit2Message(pullFactory: Wallet, pull: Pull): Permit2Transfer {
  const { depositAddress, tokenAddress, amount, validBefore } = pull
  return {
    permitted: { token: tokenAddress, amount },
    spender: pullFactory,
    nonce: permit2Nonce(pull),
    deadline: validBefore - 1n,
    witness: { to: depositAddress },
  }
}

/**
 * Returns the nonce derived from the payment, so that two signatures with different deadlines pay only once.
 */
export function permit2Nonce({ depositAddress, tokenAddress, amount }: Omit<Pull, 'validBefore'>): bigint {
  const types = [{ type: 'address' }, { type: 'address' }, { type: 'uint256' }] as const
  return hexToBigInt(keccak256(encodeAbiParameters(types, [depositAddress, tokenAddress, amount])))
}

/**
 * Converts a Permit2 transfer to the stored form.
 *
 * The stored nonce is a hash of token, nonce and deadline. After the first signature expires, the payment can
 * therefore be signed again.
 */
export function readPermit2(
  payer: Wallet,
  { permitted: { token, amount }, spender, nonce, deadline, witness }: Permit2Transfer,
  pullFactory: Wallet | undefined,
): Authorization {
  const types = [{ type: 'address' }, { type: 'uint256' }, { type: 'uint256' }] as const
  return {
    from: payer,
    to: spender === pullFactory ? witness.to : spender,
    value: amount,
    validAfter: 0n,
    validBefore: deadline + 1n,
    nonce: keccak256(encodeAbiParameters(types, [token, nonce, deadline])),
  }
}

/**
 * Verifies a Permit2 signature. For a contract account (ERC-1271), the simulation verifies the signature.
 *
 * @throws {ChainUnavailable}
 */
export async function validatePermit2(
  chain: Pick<Chain, 'id' | 'readCode' | 'pullFactory'>,
  relay: Pull & Pick<RelayedPayment, 'payer' | 'nonce' | 'signature'>,
): Promise<RelayError | undefined> {
  const { pullFactory } = chain
  if (!pullFactory) return 'token_not_supported'
  const message = permit2Message(pullFactory, relay)
  if (readPermit2(relay.payer, message, pullFactory).nonce !== relay.nonce) return 'signature_invalid'
  const hash = hashTypedData({
    domain: permit2Domain(chain.id),
    types: permit2Types,
    primaryType: 'PermitWitnessTransferFrom',
    message,
  })
  return validateSigner(chain, hash, relay.payer, relay.signature)
}

export function permit2Call(pull: Pull, owner: Wallet, signature: Hex): Hex {
  const { depositAddress, tokenAddress, amount, validBefore } = pull
  const payment = [depositAddress, tokenAddress, amount, validBefore - 1n] as const
  const args = [...payment, owner, countFrom27(signature)] as const
  return encodeFunctionData({ abi: pullFactoryAbi, functionName: 'pullWithPermit2', args })
}

/**
 * Hardware wallets return `v` as 0 or 1, which Permit2 rejects. Contract accounts' signatures stay unchanged.
 */
function countFrom27(signature: Hex): Hex {
  const [, s, last] = /^0x.{64}(.{64})(0[01])$/.exec(signature) ?? []
  if (!s || !last || /^0*$/.test(s)) return signature
  return `${signature.slice(0, -2)}${last === '00' ? '1b' : '1c'}` as Hex
}

export function askNonce(pull: Omit<Pull, 'validBefore'>, payer: Wallet): { to: Wallet; data: Hex } {
  const args = [payer, permit2Nonce(pull) >> 8n] as const
  const data = encodeFunctionData({ abi: permit2Abi, functionName: 'nonceBitmap', args })
  return { to: permit2Address, data }
}

export function isNonceUsed(pull: Omit<Pull, 'validBefore'>, word: bigint): boolean {
  return ((word >> (permit2Nonce(pull) & 0xffn)) & 1n) === 1n
}

export function askApproved(token: Wallet, payer: Wallet): { to: Wallet; data: Hex } {
  const args = [payer, permit2Address] as const
  return { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args }) }
}

/**
 * Checks that Permit2 is deployed and reports the domain of this chain.
 *
 * @throws {ChainUnavailable}
 */
export async function hasPermit2(chain: Pick<Chain, 'id' | 'callMany'>): Promise<boolean> {
  const data = encodeFunctionData({ abi: permit2Abi, functionName: 'DOMAIN_SEPARATOR' })
  const [response] = await chain.callMany([{ to: permit2Address, data }])
  return response?.ok === true && response.data === domainSeparator({ domain: permit2Domain(chain.id) })
}
