import type { Wallet } from '@sluice/protocol/wallet.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/platform/database/database.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { findCurrentSplit, findSplitVersion } from '../../../src/split/find-split.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { cancelChange, requestChange } from '../../../src/split/versions/request-change.ts'
import { findPendingSplit } from '../../../src/split/versions/store.ts'
import { runToRest } from '../../support/api/start-api.ts'
import { randomWallet, startChainApi } from '../../support/chain/chain-api.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'

const dayMs = 24 * 3_600_000
const bench = perFile(startChainApi)
let merchant: Wallet

beforeEach(async () => {
  merchant = randomWallet()
  await configureSplit({ ...bench.needs, platform: bench.platform }, merchant, {})
  await putOnChain()
})

const change = (recipient = randomWallet()) =>
  requestChange({ ...bench.needs, splits: { platform: bench.platform, changeDelayMs: dayMs } }, merchant, [
    { address: recipient, sharesBps: 9_950 },
  ])
const deploy = () => bench.run(jobNames.deploySplits)
const apply = (db: Database = bench.needs.db) => runToRest(bench.job(jobNames.applySplitChanges, { db }))
const versionInForce = async () => (await findCurrentSplit(bench.needs.db, merchant))?.version
const count = async (query: string) => (await bench.rows(query)).length
const sentFor = (split: string) =>
  count(`SELECT 1 FROM outgoing_transaction WHERE detail ->> 'split' = '${split}'`)
const auditedChanges = () =>
  count(`SELECT 1 FROM audit_entry WHERE merchant = '${merchant}' AND action = 'split.changed'`)

async function putOnChain(): Promise<void> {
  await deploy()
  await bench.node.mine()
  await bench.run(jobNames.settleTransactions, jobNames.deploySplits)
}

async function dueChange() {
  const { split } = await change()
  await bench.clock.advance(dayMs)
  await putOnChain()
  return split
}

describe('a change of recipients', () => {
  test('costs no gas before its time, then is deployed, and takes over when it stands', async () => {
    const { split } = await change()
    await putOnChain()
    await bench.clock.advance(dayMs - 1)
    await putOnChain()
    await apply()
    expect([await sentFor(split.address), await versionInForce()]).toEqual([0, 1n])
    await bench.clock.advance(1)
    await apply()
    expect(await versionInForce()).toBe(1n)
    await deploy()
    await apply()
    expect([await sentFor(split.address), await versionInForce()]).toEqual([1, 1n])
    await putOnChain()
    await apply()
    expect([await sentFor(split.address), await versionInForce()]).toEqual([1, 2n])
    expect(await findPendingSplit(bench.needs.db, merchant)).toBeUndefined()
  })

  test('takes over although nothing ran for a month', async () => {
    const { split } = await change()
    await bench.clock.advance(30 * dayMs)
    await putOnChain()
    await apply()
    const current = await findCurrentSplit(bench.needs.db, merchant)
    expect(current).toMatchObject({ version: 2n, recipients: split.recipients, inForceAt: bench.clock.now() })
  })

  test('does not take over while the clock goes back', async () => {
    await dueChange()
    const earlier = { now: () => (bench.clock.now() - 1) as never, after: () => () => {} }
    await runToRest(bench.job(jobNames.applySplitChanges, { clock: earlier }))
    expect(await versionInForce()).toBe(1n)
  })

  test('takes over once, whoever looks at the same moment', async () => {
    await dueChange()
    await Promise.all([apply(), apply(), apply(), apply()])
    expect([await versionInForce(), await auditedChanges()]).toEqual([2n, 1])
  })

  test.each([
    'put-split-in-force',
    'find-split-version',
    'lock-audit-head',
    'insert-audit-entry',
  ])('that dies at %s leaves the old one, and the next round ends it', async (statement) => {
    await dueChange()
    await expect(apply(dyingAt(bench.needs.db, statement))).rejects.toThrow('killed')
    expect([await versionInForce(), await auditedChanges()]).toEqual([1n, 0])
    await apply()
    expect([await versionInForce(), await auditedChanges()]).toEqual([2n, 1])
  })

  test('taken back at the moment it takes over is one or the other, never both', async () => {
    for (let round = 0; round < 8; round++) {
      const split = await dueChange()
      const before = await versionInForce()
      const cancelled = cancelChange(bench.needs, merchant, split.version).then(
        () => true,
        () => false,
      )
      await Promise.all([cancelled, apply()])
      const after = await findSplitVersion(bench.needs.db, merchant, split.version)
      expect(after?.state).toBe((await cancelled) ? 'cancelled' : 'in-force')
      expect(await versionInForce()).toBe((await cancelled) ? before : split.version)
      expect(await findPendingSplit(bench.needs.db, merchant)).toBeUndefined()
    }
  })

  test('taken back is deployed by nobody', async () => {
    const { split } = await change()
    await cancelChange(bench.needs, merchant, split.version)
    await bench.clock.advance(2 * dayMs)
    await putOnChain()
    await apply()
    expect([await sentFor(split.address), await versionInForce()]).toEqual([0, 1n])
  })
})

function dyingAt(db: Database, statement: string): Database {
  let isDead = false
  return wrapDatabase(db, async ({ name }, run) => {
    isDead ||= name === statement
    if (isDead) throw new Error('killed')
    return run()
  })
}
