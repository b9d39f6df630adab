import { expect, test } from 'vitest'
import { addDeployedSplit } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'
import {
  expectPaidOut,
  exportKit,
  listSplits,
  nothingLost,
  paidTokens,
  payAndEnd,
  readWords,
  recover,
  startLosable,
} from './lost-service.ts'

const context = perFile(startLosable)
const folder = perFile(() => makeTemporaryFolder('recover'))
const paymentCount = 500
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

test('with database and server deleted, every base unit of 500 payments by six ways is paid out, half of them unswept', async () => {
  const other = await context.api.addMerchant()
  await addDeployedSplit(context.api, other.wallet)
  const merchants = [context.merchant, other]
  const lost = nothingLost()
  for (let i = 0; i < paymentCount; i++) {
    const merchant = merchants[Math.floor(i / 6) % 2] ?? other
    const token = paidTokens[Math.floor(i / 12) % 4] ?? 'ETH'
    await payAndEnd(context, lost, { merchant, token, end: ends[i % 5] ?? 'left', ...ways[i % 6] })
  }
  expect(lost.unswept.size).toBe(paymentCount / 2)
  await exportKit(context, `${folder.path}/kit.json`)
  const [words, splits] = [await readWords(context), await listSplits(context, merchants)]
  await context.api.app.close()
  await context.needs.db.run({ name: '', text: 'DROP SCHEMA public CASCADE' })
  await context.needs.db.run({ name: '', text: 'CREATE SCHEMA public' })

  const soon = new Date(Date.now() - 1_000).toISOString()
  const args = ['--kit', 'kit.json', '--from', soon, '--per-second', '1', '--pay-out'] as const
  for (let runs = 0, code = 3; code === 3; runs++) {
    expect(runs).toBeLessThan(30)
    const run = await recover(context, { cwd: folder.path, words }, ...args, '--max-requests', '150')
    expect(run.error).not.toContain('Error')
    code = run.code
    if (code !== 3) expect(run).toMatchObject({ code: 0, error: '' })
  }
  await expectPaidOut(context, lost, splits)
})
