import { beforeAll, describe, expect, test } from 'vitest'
import { ensureMerchant } from '../../../src/merchants/merchant-store.ts'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { asOutage } from '../../../src/platform/database/degraded.ts'
import { listAllDeferred } from '../../../src/platform/jobs/deferred-store.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { findCurrentSplit } from '../../../src/split/find-split.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { type JobName, runToRest } from '../../support/api/start-api.ts'
import { randomWallet } from '../../support/chain/chain-api.ts'
import { farChain } from '../../support/chain/endpoints.ts'
import { deploySplit, drive, openTestAttempt, payAttempt, startKeeper } from '../../support/chain/keeper.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'

const hourMs = 3_600_000

const far = farChain()
const bench = perFile(() => startKeeper({ outbound: far.over }))
beforeAll(() => {
  far.isFar = true
})

type Stage = {
  readonly job: string
  readonly before: readonly JobName[]
  readonly isBefore: string
  readonly break: string
  readonly mend: string
}

const untilSwept = [jobNames.scanTransfers, jobNames.settleTransactions, jobNames.sweepDeposits]
const deploying = [jobNames.settleTransactions, jobNames.deploySplits]

/** Rows that our code never writes. A defect, a bad restore or a bad migration could cause them. */
const splitWithoutList = {
  break: `UPDATE split SET recipients = jsonb_set('{"kept": null}', '{kept}', recipients) WHERE merchant = $1`,
  mend: `UPDATE split SET recipients = recipients->'kept' WHERE merchant = $1`,
}

describe('one merchant whose item cannot be done stops nobody else, and goes on once it is mended', () => {
  test.each<Stage>([
    {
      job: 'sweep-deposits',
      before: [jobNames.scanTransfers],
      isBefore: `SELECT 1 FROM payment WHERE state = 'credited' AND merchant = `,
      break: `UPDATE attempt SET split_address = 'kept ' || split_address WHERE merchant = $1`,
      mend: `UPDATE attempt SET split_address = substr(split_address, 6) WHERE merchant = $1`,
    },
    {
      job: 'scan-distributions',
      before: untilSwept,
      isBefore: `SELECT 1 FROM payment WHERE state = 'credited' AND merchant = `,
      ...splitWithoutList,
    },
    {
      job: 'distribute-splits',
      before: [...untilSwept, jobNames.scanDistributions],
      isBefore: 'SELECT 1 FROM distribution_due WHERE merchant = ',
      ...splitWithoutList,
    },
    {
      job: 'reconcile-receipts',
      before: [...untilSwept, jobNames.scanDistributions, jobNames.distributeSplits],
      isBefore: 'SELECT 1 FROM reconcile_due WHERE merchant = ',
      break: `UPDATE receipt SET payment = '"kept"' WHERE merchant = $1`,
      mend: `UPDATE receipt SET payment = (SELECT 1) WHERE merchant = $1`,
    },
  ])('in $job', async ({ job, before, isBefore, ...rows }) => {
    const splits = [await deploySplit(bench), await deploySplit(bench)]
    const attempts: Attempt[] = []
    for (const { merchant } of splits.sort((a, b) => (a.merchant < b.merchant ? -1 : 1)))
      attempts.push(await openTestAttempt(bench, merchant, 'USDC'))
    const [broken, sound] = attempts
    if (!broken || !sound) throw new Error('two attempts were made')
    for (const attempt of attempts) await payAttempt(bench, attempt, 'deposit')
    await drive(bench, () => allAre(attempts, isBefore), only(before))
    const keptPayment = await paymentOf(broken)
    await change(rows.break, broken)

    await drive(bench, bench.isReconciled(sound))
    expect(await defer()).toMatchObject([{ job, merchant: broken.merchant, reason: expect.any(String) }])

    await change(rows.mend.replace('(SELECT 1)', `'${keptPayment}'`), broken)
    await bench.clock.advance(hourMs)
    await drive(bench, bench.isReconciled(broken))
    expect(await defer()).toEqual([])
  })

  test.each(['57014', '25P03'])('in scan-distributions, whose books take too long (%s)', async (code) => {
    const attempts: Attempt[] = []
    for (const { merchant } of [await deploySplit(bench), await deploySplit(bench)])
      attempts.push(await openTestAttempt(bench, merchant, 'USDC'))
    const [large, sound] = attempts
    if (!large || !sound) throw new Error('two attempts were made')
    for (const attempt of attempts) await payAttempt(bench, attempt, 'deposit')
    await drive(
      bench,
      () => allAre(attempts, `SELECT 1 FROM payment WHERE state = 'credited' AND merchant = `),
      only(untilSwept),
    )
    const db = wrapDatabase(bench.needs.db, ({ name, values = [] }, run) => {
      if (name !== 'insert-split-arrivals' || !values.includes(large.merchant)) return run()
      throw asOutage(Object.assign(new Error('it took too long'), { code }))
    })
    const scan = async () => {
      await bench.node.mine(4)
      await runToRest(bench.job(jobNames.scanDistributions, { db }))
    }
    while ((await defer()).length === 0) {
      await drive(bench, async () => true, only(untilSwept))
      await scan()
    }
    const deferred = { job: 'scan-distributions', merchant: large.merchant, kind: 'took_too_long' }
    expect(await defer()).toMatchObject([{ ...deferred, tries: 1 }])
    await bench.clock.advance(10_000)
    await scan()
    expect(await defer()).toMatchObject([{ ...deferred, tries: 2 }])
    await drive(bench, bench.isReconciled(sound))
    await bench.clock.advance(hourMs)
    await drive(bench, bench.isReconciled(large))
    expect(await defer()).toEqual([])
  })

  test('in deploy-splits', async () => {
    const merchants = [randomWallet(), randomWallet()]
    const [broken, sound] = merchants
    if (!broken || !sound) throw new Error('two wallets were made')

    for (const merchant of merchants) {
      await ensureMerchant(bench.needs, merchant, 'Test Shop')
      await configureSplit({ ...bench.needs, platform: bench.platform }, merchant, {})
    }
    await change(splitWithoutList.break, { merchant: broken })
    const isDeployed = async (merchant: typeof broken) =>
      (await findCurrentSplit(bench.needs.db, merchant))?.deployedAt !== undefined
    await drive(bench, () => isDeployed(sound), only(deploying))
    expect(await defer()).toMatchObject([{ job: 'deploy-splits', merchant: broken }])
    await change(splitWithoutList.mend, { merchant: broken })
    await bench.clock.advance(hourMs)
    await drive(bench, () => isDeployed(broken), only(deploying))
    expect(await defer()).toEqual([])
  })
})

const only = (names: readonly JobName[]) => () => names.map((name) => bench.job(name))
const defer = () => listAllDeferred(bench.needs.db, 100)

async function allAre(attempts: readonly Attempt[], query: string): Promise<boolean> {
  for (const { merchant } of attempts)
    if ((await bench.rows(`${query}'${merchant}'`)).length === 0) return false
  return true
}

async function paymentOf({ merchant, receiptId }: Attempt): Promise<string> {
  const [row] = await bench.rows<{ payment: string }>(
    `SELECT payment::text AS payment FROM receipt WHERE merchant = '${merchant}' AND id = '${receiptId}'`,
  )
  return row?.payment ?? 'null'
}

const change = (text: string, { merchant }: { merchant: string }) =>
  bench.rows(text.replace('$1', `'${merchant}'`))
