import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/chain/chain.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { findCurrentSplit } from '../../../src/split/find-split.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { deployOrder } from '../../../src/split/setup/deploy-splits.ts'
import type { Split } from '../../../src/split/split.ts'
import { predictSplit, saltOf } from '../../../src/split/split-address.ts'
import { runToRest } from '../../support/api/start-api.ts'
import { randomWallet } from '../../support/chain/chain-api.ts'
import { startKeeper } from '../../support/chain/keeper.ts'
import { perFile } from '../../support/per-file.ts'
import { recordUnsent } from './record-unsent.ts'

const bench = perFile(startKeeper)

const configure = (merchant = randomWallet()) =>
  configureSplit({ ...bench.needs, platform: bench.platform }, merchant, {})
const deploy = (holder: string) => runToRest(bench.job(jobNames.deploySplits, { holder }))
const currentOf = ({ merchant }: Split) => findCurrentSplit(bench.needs.db, merchant)
const settle = () => bench.run(jobNames.settleTransactions)
async function mineAndSettle() {
  await bench.node.mine()
  await settle()
}
const countSent = ({ address }: Split) => bench.countSent('deploy', address)
async function expectDeployedOnce(split: Split) {
  expect((await currentOf(split))?.deployedAt).toBeDefined()
  expect(await countSent(split)).toBe(1)
}

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

/**
 * Configures a split while different code is at the factory's address. Captures the log of its deployment.
 */
async function configureOver(bytecode: Hex) {
  const { client } = bench.node
  const { factory: address } = bench.needs.chain
  const code = (await client.getCode({ address })) as Hex
  await client.setCode({ address, bytecode })
  const { split } = await configure()
  const logged: string[] = []
  const log = makeLog('error', { write: (line) => void logged.push(JSON.parse(line).msg) })
  const job = bench.job(jobNames.deploySplits, { log })
  return { split, job, log, logged, mend: () => client.setCode({ address, bytecode: code }) }
}

describe('a configured split', () => {
  test('is deployed once, with its recipients, and noted when its code is there', async () => {
    const { split } = await configure()
    await deploy('a')
    await deploy('b')
    expect((await currentOf(split))?.deployedAt).toBeUndefined()
    await bench.node.mine()
    await deploy('a')
    const found = await currentOf(split)
    expect(found?.deployedAt).toBe(bench.clock.now())
    expect(found?.deployedTx).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await countSent(split)).toBe(1)
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
    await Promise.all([deploy('a'), deploy('b')])
    await mineAndSettle()
    await Promise.all([deploy('a'), deploy('b')])
    await expectDeployedOnce(split)
  })

  test('whose deployment was signed and not sent when the process died is deployed once', async () => {
    const { split } = await configure()
    await recordUnsent(bench.needs, bench.keeper, deployOrder(split))
    await deploy('after')
    await settle()
    await bench.node.mine()
    await deploy('after')
    await expectDeployedOnce(split)
  })

  test('costs nothing while no factory stands, and is deployed once one does', async () => {
    const { split, job, logged, mend } = await configureOver('0x')
    for (let round = 0; round < 5; round++) {
      await runToRest(job)
      await bench.clock.advance(2_000)
    }
    expect(await countSent(split)).toBe(0)
    // The problem is logged once, not every two seconds. Another file's split may wait too.
    expect(logged).toEqual([expect.stringContaining('`npm run cli -- contracts deploy`')])

    await mend()
    await bench.clock.advance(60_000)
    await runToRest(job)
    await mineAndSettle()
    await bench.clock.advance(3_600_000)
    await runToRest(job)
    await expectDeployedOnce(split)
  })

  test('whose deployment is mined and does nothing is an error, and tried ever more seldom', async () => {
    // Code that accepts every call and does nothing.
    const { split, job, log, logged, mend } = await configureOver('0x00')
    const sentAfter: number[] = []
    for (let second = 0; second < 300; second += 10) {
      const before = await countSent(split)
      await runToRest(job)
      if ((await countSent(split)) > before) sentAfter.push(second)
      await bench.node.mine()
      await runToRest(bench.job(jobNames.settleTransactions, { log }))
      await bench.clock.advance(10_000)
    }
    expect(sentAfter).toEqual([0, 30, 90, 210])
    expect(logged).toContain('an outgoing transaction was mined without any effect')

    await mend()
    await bench.clock.advance(3_600_000)
    await runToRest(job)
    await mineAndSettle()
    await bench.clock.advance(3_600_000)
    await runToRest(job)
    expect((await currentOf(split))?.deployedAt).toBeDefined()
  })

  test('stays as it is when it is configured again', async () => {
    const merchant = randomWallet()
    const first = await configure(merchant)
    const recipients = [{ address: randomWallet(), sharesBps: 9_950 }]
    const again = await configureSplit({ ...bench.needs, platform: bench.platform }, merchant, { recipients })
    expect(first.idempotent).toBe(false)
    expect(again).toEqual({ split: first.split, idempotent: true })
  })
})
