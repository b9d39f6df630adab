import { expect, test, vi } from 'vitest'
import { randomFraction } from '../../../src/kernel/random.ts'
import type { TestMerchant } from '../../support/api/start-api.ts'
import { addDeployedSplit } from '../../support/chain/payments.ts'
import { perCase } from '../../support/per-file.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'
import { seededRandom, testSeed } from '../../support/test-random.ts'
import {
  addressOf,
  buildRecover,
  expectPaidOut,
  exportKit,
  listSplits,
  nothingLost,
  paidTokens,
  payAndEnd,
  readWords,
  recover,
  recoverKilled,
  startLosable,
} from './lost-service.ts'

vi.setConfig({ testTimeout: 300_000 })

const context = perCase(startLosable)
const folder = perCase(() => makeTemporaryFolder('recover'))
/** Transfer, call of the split, EIP-3009, permit, Permit2, card. Without a token, each token in turn. */
const ways: readonly Partial<Parameters<typeof payAndEnd>[2]>[] = [
  { way: 'transfer' },
  { end: 'called' },
  { way: 'signature', token: 'USDC' },
  { way: 'signature', token: 'cbBTC' },
  { way: 'signature', token: 'USDT' },
  { way: 'card', token: 'USDC' },
]
const ends = ['left', 'swept', 'again', 'left', 'swept'] as const

test('with database and server deleted, every base unit of 500 payments by six ways is paid out once, half of them unswept, while the payout is killed', async () => {
  const { merchants, lost } = await payMany(500)
  expect(lost.unswept.size).toBe(250)
  await exportKit(context, `${folder.path}/kit.json`)
  const { splits, options } = await loseService(merchants)

  const soon = new Date(Date.now() - 1_000).toISOString()
  const args = ['--kit', 'kit.json', '--from', soon, '--per-second', '1', '--pay-out'] as const
  const random = seededRandom(testSeed())
  for (let kills = 0; kills < 5; kills++) {
    const moment = { count: 1 + Math.floor(3 * randomFraction(random)), isSent: randomFraction(random) < 0.5 }
    expect(await recoverKilled(context, options, moment, ...args)).toMatchObject({ code: null, error: '' })
  }
  for (let runs = 0, code = 3; code === 3; runs++) {
    expect(runs).toBeLessThan(30)
    const run = await recover(context, options, ...args, '--max-requests', '150')
    expect(run.error).not.toContain('Error')
    code = run.code
    if (code !== 3) expect(run).toMatchObject({ code: 0, error: '' })
  }
  await expectPaidOut(context, lost, splits)
})

test('without a kit, the deposits of all splits in the events of the factory are paid out', async () => {
  const startedAt = new Date(Date.now() - 10_000).toISOString()
  const { merchants, lost } = await payMany(60)
  const { splits, options } = await loseService(merchants)
  const coins = paidTokens.filter((token) => token !== 'ETH')
  const tokens = coins.flatMap((token) => ['--token', addressOf(context, token)])
  const period = ['--from', startedAt, '--per-second', '16']
  const args = ['--factory', context.needs.chain.factory, ...tokens, ...period, '--pay-out']
  expect(await recover(context, options, ...args)).toMatchObject({ code: 0, error: '' })
  await expectPaidOut(context, lost, splits)
})

async function payMany(count: number) {
  const other = await context.api.addMerchant()
  await addDeployedSplit(context.api, other.wallet)
  const merchants = [context.merchant, other]
  const lost = nothingLost()
  for (let i = 0; i < count; i++) {
    const merchant = merchants[Math.floor(i / 6) % 2] ?? other
    const token = paidTokens[Math.floor(i / 12) % 4] ?? 'ETH'
    await payAndEnd(context, lost, { merchant, token, end: ends[i % 5] ?? 'left', ...ways[i % 6] })
  }
  return { merchants, lost }
}

/** Stops the service and deletes its database. What remains is a folder with the program of a release. */
async function loseService(merchants: readonly TestMerchant[]) {
  const [words, splits] = [await readWords(context), await listSplits(context, merchants)]
  await context.api.app.close()
  await context.needs.db.run({ name: '', text: 'DROP SCHEMA public CASCADE' })
  await context.needs.db.run({ name: '', text: 'CREATE SCHEMA public' })
  return { splits, options: { cwd: folder.path, words, program: await buildRecover(folder.path) } }
}
