import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/chain/chain.ts'
import { priceOwn, recordTransaction } from '../../../src/chain/transactions/send.ts'
import { assert } from '../../../src/kernel/assert.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { findCurrentSplit } from '../../../src/split/find-split.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { deployOrder } from '../../../src/split/setup/deploy-splits.ts'
import { predictSplit, saltOf } from '../../../src/split/split-address.ts'
import { type ChainApi, randomWallet, startChainApi } from '../../support/worlds/chain-api.ts'
import { runToRest } from '../../support/worlds/run-to-rest.ts'

let bench: ChainApi

beforeAll(async () => {
  bench = await startChainApi()
})

afterAll(() => bench?.stop())

const configure = (merchant = randomWallet()) =>
  configureSplit({ ...bench.needs, platform: bench.platform }, merchant, {})
const deployJob = (holder: string) => bench.job(jobNames.deploySplits, { holder })
const settle = () => bench.run(jobNames.settleTransactions)
const sentFor = (split: string) =>
  bench.needs.db.rows(
    { name: 'test-deployments', text: `SELECT 1 FROM own_transaction WHERE detail ->> 'split' = $1` },
    [split],
  )

describe('the address of a split', () => {
  test.each([1, 2, 3, 50])('of %i recipients is known before the factory makes it', async (count) => {
    const recipients = Array.from({ length: count }, (_, i) => ({
      address: randomWallet(),
      sharesBps: (i === 0 ? 10_000 - (count - 1) * 7 : 7) as Bps,
    }))
    const salt = saltOf(randomWallet(), 3n)
    const predicted = await bench.node.client.readContract({
      address: bench.needs.chain.factory,
      abi: splitFactoryAbi,
      functionName: 'predictSplit',
      args: [recipients.map(({ address }) => address), recipients.map(({ sharesBps }) => sharesBps), salt],
    })
    expect(predictSplit(bench.needs.chain.factory, recipients, salt)).toBe(predicted)
  })
})

describe('a configured split', () => {
  test('is deployed once, with its recipients, and noted when its code is there', async () => {
    const { split } = await configure()
    await runToRest(deployJob('a'))
    await runToRest(deployJob('b'))
    expect((await findCurrentSplit(bench.needs.db, split.merchant))?.deployedAt).toBeUndefined()
    await bench.node.mine()
    await runToRest(deployJob('a'))
    const found = await findCurrentSplit(bench.needs.db, split.merchant)
    expect(found?.deployedAt).toBe(bench.clock.now())
    expect(found?.deployedTx).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await sentFor(split.address)).toHaveLength(1)
    const [accounts, shares] = await bench.node.client.readContract({
      address: split.address,
      abi: merchantSplitAbi,
      functionName: 'recipients',
    })
    expect(accounts).toEqual(split.recipients.map(({ address }) => address))
    expect(shares).toEqual([9_950, 50])
    await settle()
  })

  test('is deployed once by two processes at the same moment', async () => {
    const { split } = await configure()
    await Promise.all([runToRest(deployJob('a')), runToRest(deployJob('b'))])
    await bench.node.mine()
    await settle()
    await Promise.all([runToRest(deployJob('a')), runToRest(deployJob('b'))])
    expect((await findCurrentSplit(bench.needs.db, split.merchant))?.deployedAt).toBeDefined()
    expect(await sentFor(split.address)).toHaveLength(1)
  })

  test('whose deployment was signed and not sent when the process died is deployed once', async () => {
    const { split } = await configure()
    const order = deployOrder(bench.needs.chain.factory, split)
    const priced = await priceOwn(bench.needs, bench.keeper, order)
    assert(priced.ok, 'the factory makes it')
    const nonce = BigInt(await bench.needs.chain.readNonce(bench.keeper.address, 'pending'))
    await recordTransaction(bench.needs, bench.keeper, order, { nonce, attempt: 0n, ...priced.price })
    await runToRest(deployJob('after'))
    await settle()
    await bench.node.mine()
    await runToRest(deployJob('after'))
    expect((await findCurrentSplit(bench.needs.db, split.merchant))?.deployedAt).toBeDefined()
    expect(await sentFor(split.address)).toHaveLength(1)
  })

  test('costs nothing while no factory stands, and is deployed once one does', async () => {
    const { client } = bench.node
    const { factory } = bench.needs.chain
    const code = (await client.getCode({ address: factory })) as Hex
    await client.setCode({ address: factory, bytecode: '0x' })
    const { split } = await configure()
    const logged: string[] = []
    const log = makeLog('error', { write: (line) => void logged.push(JSON.parse(line).msg) })
    const job = bench.job(jobNames.deploySplits, { log })
    for (let round = 0; round < 5; round++) {
      await runToRest(job)
      await bench.clock.advance(2_000)
    }
    expect(await sentFor(split.address)).toEqual([])
    // Once, not every two seconds; another file's split may wait beside it.
    expect(logged).toEqual([expect.stringContaining('`npm run cli -- contracts deploy`')])

    await client.setCode({ address: factory, bytecode: code })
    await bench.clock.advance(60_000)
    await runToRest(job)
    await bench.node.mine()
    await settle()
    await bench.clock.advance(3_600_000)
    await runToRest(job)
    expect((await findCurrentSplit(bench.needs.db, split.merchant))?.deployedAt).toBeDefined()
    expect(await sentFor(split.address)).toHaveLength(1)
  })

  test('whose deployment is mined and does nothing is an error, and tried ever more seldom', async () => {
    const { client } = bench.node
    const { factory } = bench.needs.chain
    const code = (await client.getCode({ address: factory })) as Hex
    await client.setCode({ address: factory, bytecode: '0x00' }) // takes every call and does nothing
    const { split } = await configure()
    const logged: string[] = []
    const log = makeLog('error', { write: (line) => void logged.push(JSON.parse(line).msg) })
    const job = bench.job(jobNames.deploySplits, { log })
    const sentAfter: number[] = []
    for (let second = 0; second < 300; second += 10) {
      const before = (await sentFor(split.address)).length
      await runToRest(job)
      if ((await sentFor(split.address)).length > before) sentAfter.push(second)
      await bench.node.mine()
      await runToRest(bench.job(jobNames.settleTransactions, { log }))
      await bench.clock.advance(10_000)
    }
    expect(sentAfter).toEqual([0, 30, 90, 210])
    expect(logged).toContain('an outgoing transaction was mined without any effect')

    await client.setCode({ address: factory, bytecode: code })
    await bench.clock.advance(3_600_000)
    await runToRest(job)
    await bench.node.mine()
    await settle()
    await bench.clock.advance(3_600_000)
    await runToRest(job)
    expect((await findCurrentSplit(bench.needs.db, split.merchant))?.deployedAt).toBeDefined()
  })

  test('stays as it is when it is configured again', async () => {
    const merchant = randomWallet()
    const first = await configure(merchant)
    const again = await configureSplit({ ...bench.needs, platform: bench.platform }, merchant, {
      recipients: [{ address: randomWallet(), sharesBps: 9_950 }],
    })
    expect(first.idempotent).toBe(false)
    expect(again).toEqual({ split: first.split, idempotent: true })
  })
})
