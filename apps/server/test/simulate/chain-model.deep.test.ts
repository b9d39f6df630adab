import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import { testUSDTAbi } from '@sluice/contracts/abi/TestUSDT.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, keccak256, toHex } from 'viem'
import { test } from 'vitest'
import type { Hex } from '../../src/chain/chain.ts'
import { assert } from '../../src/kernel/assert.ts'
import { randomFraction } from '../../src/kernel/random.ts'
import { depositAddress } from '../../src/payments/attempts/references.ts'
import { sweepData } from '../../src/payments/sweeping/read-sweepable.ts'
import { splitReleasedCall } from '../../src/split/distributing/distribute-call.ts'
import { predictSplit } from '../../src/split/split-address.ts'
import { approveData, distributeData, releaseData } from '../support/chain/calls.ts'
import { payData, transferData } from '../support/chain/chain-api.ts'
import { row } from '../support/chain/splits.ts'
import type { Call } from '../support/chain/test-chain.ts'
import { seededRandom, testSeed } from '../support/test-random.ts'
import type { Replay } from './chain-model.ts'
import { type ChainPair, type Questions, startPair, tokenBalanceCall } from './chain-pair.ts'
import { askAboutSigning, makeSignedCalls } from './signed-calls.ts'

const seed = testSeed()
const slotsInAnEpoch = 2
/** Deeper than the final block. */
const deepestReorg = 2 * slotsInAnEpoch + 2
const stepsPerScript = 40

const scripts = [1, 2, 3]

test.each(
  scripts,
)(`the service reads from the model what it reads from anvil (seed ${seed}, script %i)`, async (script) => {
  const names = makeNames(`${seed}:${script}`)
  const pair = await startPair(seed, slotsInAnEpoch, [names.refuser])
  try {
    const scene = await makeScene(pair, names)
    await start(pair, scene)
    for (let step = 0; step < stepsPerScript; step++) {
      await takeStep(pair, scene)
      await pair.compare(scene.questions, deepestReorg + 1)
    }
    await pair.compare(scene.questions)
  } finally {
    await pair.node.stop()
  }
})

type Names = ReturnType<typeof makeNames>

function makeNames(seed: string) {
  const wallet = (name: string) => parseWallet(keccak256(toHex(`${seed}:${name}`)).slice(0, 42)) as Wallet
  const random = seededRandom(seed)
  return {
    refuser: wallet('refuser'),
    blocked: wallet('blocked'),
    honest: wallet('honest'),
    below: (count: number) => Math.floor(randomFraction(random) * count),
    hash: (name: string) => keccak256(toHex(`${seed}:${name}`)),
  }
}

/** A split with a recipient that refuses the native token and one that USDT blocks, and one of two recipients. */
async function makeScene(pair: ChainPair, names: Names) {
  const { node } = pair
  const { factory, tokens } = node.contracts
  const drafts = [
    [row(50, names.refuser), row(3_333, names.blocked), row(6_617, names.honest)],
    [row(9_950, names.honest), row(50, names.blocked)],
  ]
  const splits = drafts.map((rows, i) => {
    const salt = names.hash(`split ${i}`)
    const recipients = rows.map(({ address, sharesBps }) => ({ address, sharesBps: sharesBps as Bps }))
    const args = [rows.map(({ address }) => address), rows.map(({ sharesBps }) => sharesBps), salt] as const
    const data = encodeFunctionData({ abi: splitFactoryAbi, functionName: 'createSplit', args })
    return { address: predictSplit(factory, recipients, salt), create: { to: factory, data }, rows }
  })
  const deposits = splits.flatMap(({ address: split }) =>
    ['first', 'second'].map((name) => {
      const reference = names.hash(name)
      return { split, reference, address: depositAddress(factory, split, reference) }
    }),
  )
  const allTokens = [nativeAddress, tokens.USDC, tokens.USDT, tokens.cbBTC]
  const addresses = [
    ...splits.map(({ address }) => address),
    ...deposits.map(({ address }) => address),
    ...[names.refuser, names.blocked, names.honest],
  ]
  const owners = [...addresses, ...node.accounts.map(({ address }) => address)]
  const signing = { ...names, deposits: deposits.map(({ address }) => address) }
  const signed = await makeSignedCalls(pair, signing)
  const lasting = signed.filter(({ isLasting }) => isLasting)
  const released = (token: Wallet) =>
    splits.map(({ address }) => ({ to: address, data: splitReleasedCall(token) }))
  const from = node.accounts[4]?.address as Wallet
  const questions: Questions = {
    addresses,
    amounts: allTokens.flatMap((token) => [...owners.map((owner) => ({ owner, token })), ...released(token)]),
    calls: [
      ...[...askAboutSigning(pair, signing), ...lasting].map(({ to, data }) => ({ from, to, data })),
      ...allTokens.flatMap((token) => [
        ...deposits.map((deposit) => ({ from, to: factory, data: sweepData({ ...deposit, token }) })),
        ...splits.flatMap(({ address, rows }) => [
          { from, to: address, data: distributeData(token) },
          ...rows.map((each) => ({ from, to: address, data: releasableData(each.address, token) })),
        ]),
        ...(token === nativeAddress
          ? []
          : [
              { from, to: token, data: tokenBalanceCall(names.honest) },
              { from, to: token, data: transferData(names.honest, 10n ** 30n) },
              ...splits.map(({ address }) => {
                const data = payData(names.hash('first'), { token, amount: 1n })
                return { from, to: address, data }
              }),
            ]),
      ]),
    ],
  }
  return { names, splits, deposits, allTokens, questions, signed }
}

type Scene = Awaited<ReturnType<typeof makeScene>>

/** Creates the first split, and lets it take some tokens of two accounts. */
async function start(pair: ChainPair, { splits, allTokens }: Scene): Promise<void> {
  const [split] = splits
  assert(split, 'there are two splits')
  await pair.send(0, split.create)
  for (const sender of [0, 1])
    for (const token of allTokens.slice(1))
      await pair.send(sender, {
        to: token,
        data: approveData(split.address, sender === 0 ? undefined : 10n ** 10n),
      })
  await pair.mine(1, 0)
}

async function takeStep(pair: ChainPair, scene: Scene): Promise<void> {
  const { below } = scene.names
  const dice = below(100)
  if (dice < 25) return pair.mine(1 + below(3), below(3) * 2)
  const deepest = Math.min(deepestReorg, pair.blockCount - 1)
  if (dice < 35 && deepest > 0) return reorg(pair, scene, 1 + below(deepest))
  const sender = below(4)
  for (let count = 5 + below(10); count > 0; count--) await pair.send(sender, pickCall(pair, scene, sender))
  if (below(3) === 0) await pair.send(sender, pickCall(pair, scene, sender), BigInt(1 + below(2)))
}

/** Each transaction of the removed blocks is mined again there or later, replaced by another one, or dropped. */
async function reorg(pair: ChainPair, scene: Scene, depth: number): Promise<void> {
  const { below } = scene.names
  // Empties the mempool: anvil forgets that the nonces of dropped transactions are missing.
  await pair.mine(1, 0)
  const replay: Replay[] = []
  const dropped = new Set<Wallet>()
  let offset = 0
  for (const transaction of pair.model.blocks.slice(-depth).flatMap((block) => block.transactions)) {
    const fate = dropped.has(transaction.from)
      ? 'drop'
      : (['drop', 'keep', 'keep', 'replace'] as const)[below(4)]
    offset = Math.min(depth - 1, offset + below(2))
    if (fate === 'drop') dropped.add(transaction.from)
    else if (fate === 'keep') replay.push({ transaction, offset })
    else {
      const sender = pair.node.accounts.findIndex(({ address }) => address === transaction.from)
      const other = await pair.sign(sender, pickCall(pair, scene, sender), Number(transaction.nonce))
      replay.push({ transaction: other, offset })
    }
  }
  await pair.reorg(depth, replay, below(3) * 2)
}

function pickCall(pair: ChainPair, scene: Scene, sender: number): Call {
  const { deposits, splits, allTokens, names, signed } = scene
  const { below } = names
  const { factory, tokens } = pair.node.contracts
  const oneOf = <T>(items: readonly T[]): T => items[below(items.length)] as T
  const token = oneOf(allTokens)
  const split = oneOf(splits)
  const deposit = oneOf(deposits)
  // After round amounts a distribution leaves nothing, and keeps a unit.
  const amount = BigInt(oneOf([below(4), below(1_000_000_000), 10_000 * below(100_000)]))
  const give = (to: Wallet, units: bigint): Call =>
    token === nativeAddress ? { to, value: units } : { to: token, data: transferData(to, units) }
  const isNative = token === nativeAddress
  switch (below(18)) {
    case 0:
    case 1:
      return give(deposit.address, amount)
    case 2:
      return give(split.address, amount)
    case 3:
      return isNative
        ? { to: split.address, data: payData(deposit.reference), value: amount }
        : { to: split.address, data: payData(deposit.reference, { token, amount }) }
    case 4:
      return isNative
        ? split.create
        : { to: token, data: approveData(split.address, amount * BigInt(sender)) }
    case 5:
      return split.create
    case 6:
      return { to: factory, data: sweepData({ ...deposit, token }) }
    case 7:
      return { to: factory, data: sweepManyData(deposits.map((each) => ({ ...each, token }))) }
    case 8:
    case 9:
    case 10:
      return { to: split.address, data: distributeData(token) }
    case 11:
      return { to: tokens.USDT, data: blockData(names.blocked, below(2) === 0) }
    case 12:
    case 13: {
      const account = oneOf([names.blocked, names.honest])
      return { to: split.address, data: releaseData(account, isNative ? undefined : token) }
    }
    default: {
      const { to, data } = oneOf(signed)
      return { to, data }
    }
  }
}

function sweepManyData(items: readonly { split: Wallet; reference: Hex; token: Wallet }[]): Hex {
  const args = [items.map(({ split, reference, token }) => ({ split, ref: reference, token }))] as const
  return encodeFunctionData({ abi: splitFactoryAbi, functionName: 'sweepMany', args })
}

function blockData(account: Wallet, isBlocked: boolean): Hex {
  return encodeFunctionData({ abi: testUSDTAbi, functionName: 'setBlocked', args: [account, isBlocked] })
}

function releasableData(account: Wallet, token: Wallet): Hex {
  const call = { abi: merchantSplitAbi, functionName: 'releasable' } as const
  return token === nativeAddress
    ? encodeFunctionData({ ...call, args: [account] })
    : encodeFunctionData({ ...call, args: [token, account] })
}
