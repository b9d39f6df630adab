import { pullFactoryAbi } from '@sluice/contracts/abi/PullFactory.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import {
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  hashTypedData,
  keccak256,
  parseAbi,
  recoverAddress,
  stringToHex,
} from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import type { Authorization, RelayError, RelayedPayment, TokenDomain } from './authorization.ts'

export type Permit = {
  readonly owner: Wallet
  /** The puller contract of one payment. Its address determines how the allowance can be used. */
  readonly spender: Wallet
  readonly value: bigint
  readonly nonce: bigint
  /** Unix seconds, inclusive. */
  readonly deadline: bigint
}

export const permitAbi = parseAbi([
  'function nonces(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

export const permitTypes = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

/** Some tokens expose functions with the same name but other types, so the type hash is compared. */
export const permitTypehash = keccak256(
  stringToHex('Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)'),
)

export type Pull = Pick<RelayedPayment, 'depositAddress' | 'tokenAddress' | 'amount' | 'validBefore'>

/** Converts a permit to the stored form. The stored nonce is a hash of the spender and the permit's nonce. */
export function readPermit({ owner, spender, value, nonce, deadline }: Permit): Authorization {
  const key = encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [spender, nonce])
  const validBefore = deadline + 1n
  return { from: owner, to: spender, value, validAfter: 0n, validBefore, nonce: keccak256(key) }
}

/** Returns the CREATE2 address of the puller, which can only pay this deposit address. */
export function pullerAddress(pullFactory: Wallet, pull: Pull): Wallet {
  const { depositAddress, tokenAddress, amount, validBefore } = pull
  const salt = keccak256(
    encodeAbiParameters(
      [{ type: 'address' }, { type: 'address' }, { type: 'uint256' }, { type: 'uint256' }],
      [depositAddress, tokenAddress, amount, validBefore - 1n],
    ),
  )
  const bytecode = pullerCreationCode(pullFactory)
  const puller = parseWallet(getContractAddress({ opcode: 'CREATE2', from: pullFactory, salt, bytecode }))
  assert(puller, 'CREATE2 gives an address')
  return puller
}

/** Creation code of an EIP-1167 proxy. The implementation is the factory's first contract. */
function pullerCreationCode(pullFactory: Wallet): Hex {
  const implementation = getContractAddress({ from: pullFactory, nonce: 1n })
  return `0x602c3d8160093d39f33d3d3d3d363d3d37363d73${implementation.slice(2).toLowerCase()}5af43d3d93803e602a57fd5bf3`
}

export async function validatePermit(
  domain: TokenDomain,
  { from, to, value, validBefore }: Authorization,
  nonce: bigint,
  signature: Hex,
): Promise<RelayError | undefined> {
  if (signature.length !== 132) return 'signature_invalid'
  const message = { owner: from, spender: to, value, nonce, deadline: validBefore - 1n }
  const hash = hashTypedData({ domain, types: permitTypes, primaryType: 'Permit', message })
  try {
    return (await recoverAddress({ hash, signature })) === from ? undefined : 'signature_invalid'
  } catch {
    return 'signature_invalid'
  }
}

export function pullCall(pull: Pull, owner: Wallet, signature: Hex): Hex {
  const { depositAddress, tokenAddress, amount, validBefore } = pull
  const payment = [depositAddress, tokenAddress, amount, validBefore - 1n] as const
  const { r, s, v } = splitSignature(signature)
  const functionName = 'pullWithPermit'
  return encodeFunctionData({ abi: pullFactoryAbi, functionName, args: [...payment, owner, v, r, s] })
}

/** Splits a 65-byte signature. Hardware wallets return `v` as 0 or 1. */
export function splitSignature(signature: Hex): { r: Hex; s: Hex; v: number } {
  const v = Number.parseInt(signature.slice(130), 16)
  return {
    r: signature.slice(0, 66) as Hex,
    s: `0x${signature.slice(66, 130)}`,
    v: v < 27 ? v + 27 : v,
  }
}

export async function readPermitNonce(
  chain: Pick<Chain, 'callMany'>,
  token: Wallet,
  payer: Wallet,
): Promise<bigint | undefined> {
  const data = encodeFunctionData({ abi: permitAbi, functionName: 'nonces', args: [payer] })
  const [response] = await chain.callMany([{ to: token, data }])
  return response?.ok && response.data.length === 66 ? BigInt(response.data) : undefined
}
