// SPDX-License-Identifier: Apache-2.0
import { concat, type Hex, parseSignature } from 'viem'
import { foundry } from 'viem/chains'
import { permit2Address, permit2Bytecode, permit2Salt } from '../abi/Permit2.ts'
import { pullFactoryAbi, pullFactoryBytecode } from '../abi/PullFactory.ts'
import { testUSDCAbi } from '../abi/TestUSDC.ts'
import { create2Address, create2Deployer, create2Deployment } from '../tools/create2.ts'
import { authorizationFields } from './authorization-fields.ts'
import type { Bench } from './bench.ts'

const pullFactory = create2Address(pullFactoryBytecode)
const amount = 1_000_003n
const deadline = 2n ** 48n

/**
 * Measures the gas of submitting a signed payment to an empty deposit: with a permit for a puller, with
 * Permit2 and, for comparison, with EIP-3009. An account's first permit costs more, because it creates the
 * account's nonce.
 */
export async function measurePulls(bench: Bench, figures: Map<string, bigint>): Promise<void> {
  figures.set('pullWithPermit, first of an account', await pull(bench, depositAt(1)))
  figures.set('pullWithPermit', await pull(bench, depositAt(2)))
  await deployPermit2(bench)
  figures.set('pullWithPermit2', await pullByPermit2(bench, depositAt(3)))
  figures.set('transferWithAuthorization', await transfer(bench))
  const { to, data } = create2Deployment(pullFactoryBytecode)
  figures.set(
    'pull factory and implementation',
    await bench.client.estimateGas({ to, data: `0x01${data.slice(4)}` }),
  )
}

function depositAt(count: number): Hex {
  return `0x${(0xd0000 + count).toString(16).padStart(40, '0')}`
}

async function pull({ client, token, payer, call }: Bench, to: Hex): Promise<bigint> {
  const spender = await client.readContract({
    address: pullFactory,
    abi: pullFactoryAbi,
    functionName: 'pullerAddress',
    args: [to, token, amount, deadline],
  })
  const nonce = await client.readContract({
    address: token,
    abi: testUSDCAbi,
    functionName: 'nonces',
    args: [payer.address],
  })
  const signature = await client.signTypedData({
    domain: domainOf(token),
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { owner: payer.address, spender, value: amount, nonce, deadline },
  })
  const { v, r, s } = parseSignature(signature)
  const args = [to, token, amount, deadline, payer.address, Number(v), r, s] as const
  return call(pullFactory, pullFactoryAbi, 'pullWithPermit', args)
}

/**
 * Deploys Permit2 as its authors did, with an allowance from the payer. The allowance is finite and is
 * reduced by each payment, which costs more gas than an infinite one.
 */
async function deployPermit2({ send, call, token }: Bench): Promise<void> {
  await send(create2Deployer, concat([permit2Salt, permit2Bytecode]))
  await call(token, testUSDCAbi, 'approve', [permit2Address, 2n ** 255n])
}

async function pullByPermit2({ client, token, payer, call }: Bench, to: Hex): Promise<bigint> {
  const nonce = await client.readContract({
    address: pullFactory,
    abi: pullFactoryAbi,
    functionName: 'permit2Nonce',
    args: [to, token, amount],
  })
  const signature = await client.signTypedData({
    domain: { name: 'Permit2', chainId: client.chain.id, verifyingContract: permit2Address },
    types: {
      PermitWitnessTransferFrom: [
        { name: 'permitted', type: 'TokenPermissions' },
        { name: 'spender', type: 'address' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
        { name: 'witness', type: 'Payment' },
      ],
      TokenPermissions: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint256' },
      ],
      Payment: [{ name: 'to', type: 'address' }],
    },
    primaryType: 'PermitWitnessTransferFrom',
    message: { permitted: { token, amount }, spender: pullFactory, nonce, deadline, witness: { to } },
  })
  const args = [to, token, amount, deadline, payer.address, signature] as const
  return call(pullFactory, pullFactoryAbi, 'pullWithPermit2', args)
}

async function transfer(bench: Bench): Promise<bigint> {
  const message = {
    from: bench.payer.address,
    to: depositAt(4),
    value: amount,
    validAfter: 0n,
    validBefore: deadline,
    nonce: `0x${'01'.repeat(32)}`,
  } as const
  const signature = await bench.client.signTypedData({
    domain: domainOf(bench.token),
    types: { TransferWithAuthorization: authorizationFields },
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const { from, to, value, validAfter, validBefore, nonce } = message
  const args = [from, to, value, validAfter, validBefore, nonce, signature] as const
  return bench.call(bench.token, testUSDCAbi, 'transferWithAuthorization', args)
}

function domainOf(token: Hex) {
  return { name: 'USD Coin', version: '2', chainId: foundry.id, verifyingContract: token } as const
}
