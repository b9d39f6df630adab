// SPDX-License-Identifier: Apache-2.0
import { type Address, keccak256, toHex } from 'viem'
import { merchantSplitAbi } from '../abi/MerchantSplit.ts'
import { splitFactoryAbi, splitFactoryBytecode } from '../abi/SplitFactory.ts'
import { testUSDCAbi } from '../abi/TestUSDC.ts'
import { create2Deployment } from '../tools/create2.ts'
import { authorizationFields } from './authorization-fields.ts'
import { type Bench, type BenchSplit, eth } from './bench.ts'
import { measurePulls } from './measure-pulls.ts'

/** Gas of each operation. */
export type Figures = Map<string, bigint>

/** Measures every operation once on a new bench. */
export async function measure(bench: Bench): Promise<Figures> {
  const figures: Figures = new Map()
  for (const count of [2, 10]) await measureSplit(bench, figures, count)
  await measurePayments(bench, figures)
  await measureSweeps(bench, figures)
  await measurePulls(bench, figures)
  return figures
}

async function measureSplit(bench: Bench, figures: Figures, count: number): Promise<void> {
  const split = await bench.chooseSplit(`split of ${count}`, count)
  figures.set(`deploy split, ${count}`, await bench.createSplit(split))
  figures.set(`deploy split again, ${count}`, await bench.createSplit(split))
  const ascending = inAscendingOrder(split)
  figures.set(`deploy split in ascending order, ${count}`, await bench.createSplit(ascending))

  for (const round of ['first', 'steady']) {
    await bench.send(split.address, '0x', 1_000_003n)
    figures.set(`distribute ETH ${round}, ${count}`, await bench.distribute(split, eth))
    await bench.mint(split.address, 1_000_003n)
    figures.set(`distribute ERC-20 ${round}, ${count}`, await bench.distribute(split, bench.token))
  }
  // An amount that divides evenly, such as whole cents of a token with six decimals, would otherwise leave
  // nothing.
  for (const [name, token, amount] of [
    ['ERC-20 that shares evenly', bench.token, 1_000_000n],
    ['ERC-20 that leaves dust', bench.token, 1_000_003n],
    ['ETH', eth, 1_000_003n],
  ] as const) {
    const fresh = await bench.chooseSplit(`${name} of ${count}`, count)
    await bench.createSplit(fresh)
    let gas = 0n
    for (let round = 0; round < 2; round++) gas = await payAndDistribute(bench, fresh, token, amount)
    figures.set(`payment and distribution, ${name}, ${count}`, gas)
  }
  const [first] = split.recipients
  for (const [name, token, overload] of [
    ['ETH', eth, [first]],
    ['ERC-20', bench.token, [bench.token, first]],
  ] as const) {
    for (const round of ['first', 'steady']) {
      if (token === eth) await bench.send(split.address, '0x', 1_000_003n)
      else await bench.mint(split.address, 1_000_003n)
      const gas = await bench.call(split.address, merchantSplitAbi, 'release', overload as never)
      figures.set(`release ${name} to one ${round}, ${count}`, gas)
    }
  }
}

/** Measures a plain payment and its distribution: the total gas that the buyer and the keeper pay. */
async function payAndDistribute(
  bench: Bench,
  split: BenchSplit,
  token: Address,
  amount: bigint,
): Promise<bigint> {
  const payment =
    token === eth
      ? await bench.send(split.address, '0x', amount)
      : await bench.call(token, testUSDCAbi, 'transfer', [split.address, amount])
  return payment + (await bench.distribute(split, token))
}

async function measurePayments(bench: Bench, figures: Figures): Promise<void> {
  const split = await bench.chooseSplit('payments', 2)
  await bench.createSplit(split)
  const { address } = split
  await bench.call(bench.token, testUSDCAbi, 'approve', [address, 2n ** 255n])
  for (const ref of [keccak256('0x01'), keccak256('0x02')]) {
    // The second round overwrites the first, because the split then already holds tokens.
    figures.set('plain ETH', await bench.send(address, '0x', 1_000_003n))
    figures.set('pay ETH', await bench.call(address, merchantSplitAbi, 'pay', [ref], 1_000_003n))
    const args = [bench.token, 1_000_003n, ref] as const
    figures.set('payToken', await bench.call(address, merchantSplitAbi, 'payToken', args))
    figures.set('payWithAuthorization', await payWithAuthorization(bench, address, ref))
  }
}

async function payWithAuthorization(bench: Bench, split: Address, ref: `0x${string}`): Promise<bigint> {
  const salt = keccak256(toHex('salt'))
  const message = {
    from: bench.payer.address,
    to: split,
    value: 1_000_003n,
    validAfter: 0n,
    validBefore: 2n ** 48n,
    nonce: keccak256(`${ref}${salt.slice(2)}`),
  }
  const signature = await bench.client.signTypedData({
    domain: {
      name: 'USD Coin',
      version: '2',
      chainId: bench.client.chain.id,
      verifyingContract: bench.token,
    },
    types: { ReceiveWithAuthorization: authorizationFields },
    primaryType: 'ReceiveWithAuthorization',
    message,
  })
  const { from, value, validAfter, validBefore } = message
  const args = [bench.token, from, value, validAfter, validBefore, ref, salt, signature] as const
  return bench.call(split, merchantSplitAbi, 'payWithAuthorization', args)
}

async function measureSweeps(bench: Bench, figures: Figures): Promise<void> {
  const split = await bench.chooseSplit('sweeps', 2)
  await bench.createSplit(split)
  for (const [name, token] of [
    ['ERC-20', bench.token],
    ['ETH', eth],
  ] as const) {
    for (const holds of ['empty', 'holding']) {
      const to = holds === 'empty' ? 'an empty split' : 'a split that holds some'
      const one = await fillDeposits(bench, split, token, `${name} ${holds} one`, 1)
      const [sweep] = one
      if (!sweep) throw new Error('one deposit was asked for')
      const args = [sweep.split, sweep.ref, token] as const
      figures.set(`sweep ${name} into ${to}`, await bench.call(bench.factory, splitFactoryAbi, 'sweep', args))
      if (holds === 'empty') await bench.distribute(split, token)
      await fillDeposits(bench, split, token, `${name} ${holds} one`, 1)
      figures.set(`sweep ${name} again`, await bench.call(bench.factory, splitFactoryAbi, 'sweep', args))
      const many = await fillDeposits(bench, split, token, `${name} ${holds}`, 20)
      const gas = await bench.call(bench.factory, splitFactoryAbi, 'sweepMany', [many])
      figures.set(`sweepMany of 20 ${name}, each`, gas / 20n)
    }
  }
  const { to, data } = create2Deployment(splitFactoryBytecode)
  figures.set(
    'factory and implementations',
    await bench.client.estimateGas({ to, data: `0x01${data.slice(4)}` }),
  )
}

/** Funds `count` deposit addresses. Returns them as arguments for `sweepMany`. */
async function fillDeposits(bench: Bench, split: BenchSplit, token: Address, name: string, count: number) {
  const sweeps = Array.from({ length: count }, (_, i) => ({
    split: split.address,
    ref: keccak256(toHex(`${name}/${i}`)),
    token,
  }))
  for (const { ref } of sweeps) {
    const deposit = await bench.client.readContract({
      address: bench.factory,
      abi: splitFactoryAbi,
      functionName: 'depositAddress',
      args: [split.address, ref],
    })
    if (token === eth) await bench.send(deposit, '0x', 1_000_003n)
    else await bench.mint(deposit, 1_000_003n)
  }
  return sweeps
}

function inAscendingOrder(split: BenchSplit): BenchSplit {
  const order = split.recipients
    .map((recipient, i) => ({ recipient, bps: split.bps[i] as number }))
    .sort((a, b) => (a.recipient.toLowerCase() < b.recipient.toLowerCase() ? -1 : 1))
  return {
    ...split,
    salt: keccak256(split.salt),
    recipients: order.map(({ recipient }) => recipient),
    bps: order.map(({ bps }) => bps),
  }
}
