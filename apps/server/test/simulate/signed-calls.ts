import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, parseAbi, type TypedDataDefinition, zeroHash } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../../src/chain/chain.ts'
import { authorizationTypes } from '../../src/payments/relaying/authorization.ts'
import { permitTypes, pullCall, pullerAddress, splitSignature } from '../../src/payments/relaying/permit.ts'
import {
  askNonce,
  permit2Address,
  permit2Call,
  permit2Domain,
  permit2Message,
  permit2Types,
} from '../../src/payments/relaying/permit2.ts'
import { transferCall } from '../../src/payments/relaying/relay-call.ts'
import { approveData } from '../support/chain/calls.ts'
import type { ChainPair } from './chain-pair.ts'
import { signTyped } from './chain-people.ts'

export type SignedCall = { readonly to: Wallet; readonly data: Hex; readonly isLasting: boolean }

type Needs = {
  readonly deposits: readonly Wallet[]
  readonly below: (count: number) => number
  readonly hash: (name: string) => Hex
}

const lasting = 2n ** 40n

/** Payments of two accounts by each kind of signature, some wrong and some that expire soon. */
export async function makeSignedCalls(
  pair: ChainPair,
  { deposits, below, hash }: Needs,
): Promise<SignedCall[]> {
  const { node, model } = pair
  const { tokens, pullFactory } = node.contracts
  const calls: SignedCall[] = []
  for (let i = 0; i < 24; i++) {
    const payer = below(2)
    const account = privateKeyToAccount(node.accounts[payer]?.privateKey as Hex)
    // Some are signed by another account.
    const signer = below(6) > 0 ? account : privateKeyToAccount(node.accounts[3]?.privateKey as Hex)
    const sign = (data: TypedDataDefinition) => signTyped(model, signer, data)
    const isLasting = below(3) > 0
    const end = isLasting ? lasting : model.head.timestamp + BigInt(below(60))
    const chainId = node.chainId
    const owner = account.address as Wallet
    const pull = {
      depositAddress: deposits[below(deposits.length)] as Wallet,
      // One amount is more than any account has.
      amount: (below(8) > 0 ? BigInt(below(1_000_000)) : 10n ** 40n) as TokenUnits,
      validBefore: end + 1n,
    }
    const value = pull.amount
    if (i % 3 === 0) {
      const verifyingContract = tokens.USDC
      const message = {
        ...{ from: owner, to: pull.depositAddress, value, validAfter: 0n, validBefore: end },
        nonce: hash(`nonce ${below(6)}`),
      }
      const domain = { name: 'USD Coin', version: '2', chainId, verifyingContract }
      const primaryType = 'TransferWithAuthorization'
      const signature = await sign({ domain, types: authorizationTypes, primaryType, message })
      calls.push({ to: tokens.USDC, data: transferCall(message, signature), isLasting })
    } else if (i % 3 === 1) {
      const verifyingContract = tokens.cbBTC
      const bill = { ...pull, tokenAddress: tokens.cbBTC }
      const spender = pullerAddress(pullFactory, bill)
      const message = { owner, spender, value, nonce: BigInt(below(4)), deadline: end }
      const domain = { name: 'Coinbase Wrapped BTC', version: '1', chainId, verifyingContract }
      const signature = await sign({ domain, types: permitTypes, primaryType: 'Permit', message })
      calls.push({ to: pullFactory, data: pullCall(bill, owner, signature), isLasting })
      calls.push({ to: tokens.cbBTC, data: permitData(message, signature), isLasting })
    } else {
      const bill = { ...pull, tokenAddress: tokens.USDT }
      const message = permit2Message(pullFactory, bill)
      const primaryType = 'PermitWitnessTransferFrom'
      const signature = await sign({
        domain: permit2Domain(chainId),
        types: permit2Types,
        primaryType,
        message,
      })
      calls.push({ to: pullFactory, data: permit2Call(bill, owner, signature), isLasting })
      calls.push({ to: tokens.USDT, data: approveData(permit2Address), isLasting: false })
    }
  }
  return calls
}

const signingAbi = parseAbi([
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function nonces(address owner) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function PERMIT_TYPEHASH() view returns (bytes32)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function eip712Domain() view returns (bytes32)',
])

type PermitMessage = { owner: Wallet; spender: Wallet; value: bigint; deadline: bigint }

function permitData({ owner, spender, value, deadline }: PermitMessage, signature: Hex): Hex {
  const { v, r, s } = splitSignature(signature)
  const args = [owner, spender, value, deadline, v, r, s] as const
  return encodeFunctionData({ abi: signingAbi, functionName: 'permit', args })
}

/** What the service asks tokens and Permit2 about signatures. */
export function askAboutSigning(pair: ChainPair, { deposits, hash }: Needs): { to: Wallet; data: Hex }[] {
  const { tokens } = pair.node.contracts
  const payers = pair.node.accounts.slice(0, 2).map(({ address }) => address)
  const abi = signingAbi
  const facts = ['PERMIT_TYPEHASH', 'DOMAIN_SEPARATOR', 'name', 'version', 'eip712Domain'] as const
  const ofToken = Object.values(tokens).flatMap((to) => [
    ...facts.map((functionName) => ({ to, data: encodeFunctionData({ abi, functionName }) })),
    ...payers.flatMap((payer) => [
      { to, data: encodeFunctionData({ abi, functionName: 'nonces', args: [payer] }) },
      ...[zeroHash, hash('nonce 1')].map((nonce) => {
        const args = [payer, nonce] as const
        return { to, data: encodeFunctionData({ abi, functionName: 'authorizationState', args }) }
      }),
    ]),
  ])
  const bill = { depositAddress: deposits[0] as Wallet, tokenAddress: tokens.USDT, amount: 1n as TokenUnits }
  return [
    ...ofToken,
    ...payers.map((payer) => askNonce(bill, payer)),
    { to: permit2Address, data: encodeFunctionData({ abi, functionName: 'DOMAIN_SEPARATOR' }) },
  ]
}
