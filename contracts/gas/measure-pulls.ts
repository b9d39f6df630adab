// SPDX-License-Identifier: Apache-2.0
import { type Hex, parseSignature } from 'viem'
import { pullFactoryAbi, pullFactoryBytecode } from '../abi/PullFactory.ts'
import { testUSDCAbi } from '../abi/TestUSDC.ts'
import { create2Address, create2Deployment } from '../tools/create2.ts'
import type { Bench } from './bench.ts'

const pullFactory = create2Address(pullFactoryBytecode)
const amount = 1_000_003n
const deadline = 2n ** 48n

/** What a payment by signature costs whoever submits it: by a permit to a puller, and beside it by EIP-3009. */
export async function measurePulls(bench: Bench, figures: Map<string, bigint>): Promise<void> {
  const deposit = '0x00000000000000000000000000000000000d0001'
  figures.set('pullWithPermit to a new deposit', await pull(bench, deposit))
  figures.set('transferWithAuthorization to a new deposit', await transfer(bench))
  const { to, data } = create2Deployment(pullFactoryBytecode)
  figures.set(
    'pull factory and implementation',
    await bench.client.estimateGas({ to, data: `0x01${data.slice(4)}` }),
  )
}

/** The payer signs its second permit: the first one of an account costs 17,100 gas more. */
async function pull(bench: Bench, deposit: Hex): Promise<bigint> {
  let gas = 0n
  for (const round of [1n, 2n]) {
    const to = round === 1n ? '0x00000000000000000000000000000000000d0000' : deposit
    const { token, payer, client } = bench
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
      domain: domainOf(bench),
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
    gas = await bench.call(pullFactory, pullFactoryAbi, 'pullWithPermit', args)
  }
  return gas
}

async function transfer(bench: Bench): Promise<bigint> {
  const message = {
    from: bench.payer.address,
    to: '0x00000000000000000000000000000000000d0002',
    value: amount,
    validAfter: 0n,
    validBefore: deadline,
    nonce: `0x${'01'.repeat(32)}`,
  } as const
  const signature = await bench.client.signTypedData({
    domain: domainOf(bench),
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const { from, to, value, validAfter, validBefore, nonce } = message
  const args = [from, to, value, validAfter, validBefore, nonce, signature] as const
  return bench.call(bench.token, testUSDCAbi, 'transferWithAuthorization', args)
}

function domainOf({ client, token }: Bench) {
  return { name: 'USD Coin', version: '2', chainId: client.chain.id, verifyingContract: token } as const
}
