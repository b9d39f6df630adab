import type { UnixMs } from '@sluice/protocol/time.ts'
import { beforeEach, expect, test } from 'vitest'
import { findTargetsByDeposit } from '../../../../src/payments/attempts/targets.ts'
import { findCursor, findTags } from '../../../../src/payments/cursors/store.ts'
import type { Finding } from '../../../../src/payments/ledger/match-transfer.ts'
import { mostInTurn } from '../../../../src/payments/ledger/read-payments.ts'
import { rollBackAbove } from '../../../../src/payments/settlement/roll-back.ts'
import { type StepNews, settleEach } from '../../../../src/payments/settlement/settle-each.ts'
import { cursorNames } from '../../../../src/platform/jobs/names.ts'
import { always } from '../../../support/chain/chain-api.ts'
import { startPayments } from '../../../support/chain/payments.ts'
import { perFile } from '../../../support/per-file.ts'

const dustCount = 20_000

const world = perFile(() => startPayments({ policy: always('seen') }))
beforeEach(() => world.syncClock())

/** Tiny payments of a stranger to one receipt, as a watcher finds them in a block above all that were read. */
async function dust(id: string, block: { number: bigint; digit: string }): Promise<Finding[]> {
  const { depositAddress } = await world.open(id, 20, 'USDC')
  const [target] = await findTargetsByDeposit(world.needs.db, world.needs.chain.id, [depositAddress])
  if (!target) throw new Error('the attempt is known')
  return Array.from({ length: dustCount }, (_, i) => ({
    txHash: `0x${i.toString(16).padStart(64, '0')}`,
    logIndex: i,
    address: '',
    merchant: target.merchant,
    kind: 'transfer',
    source: depositAddress,
    tokenAddress: target.tokenAddress,
    amount: 1n,
    payer: undefined,
    block: blockOf(block),
    target,
  }))
}

function blockOf({ number, digit }: { number: bigint; digit: string }) {
  return { number, hash: `0x${digit.repeat(64)}`, at: world.needs.clock.now() } as const
}

async function settle(news: Partial<StepNews>, fork?: bigint): Promise<void> {
  const { needs } = world
  const chain = needs.chain.id
  const context = {
    chain,
    tags: await findTags(needs.db, chain),
    coveredTo: 0 as UnixMs,
    policy: always('seen'),
  }
  await needs.db.transaction(async (tx) => {
    const at = { number: fork ?? 0n, hash: '0x' as const, at: 0 as UnixMs }
    const lost = fork === undefined ? [] : await rollBackAbove({ ...needs, tx }, chain, at, [])
    await settleEach({ ...needs, tx }, context, { found: [], looks: [], lost, ...news })
  })
}

const places = () =>
  world.rows<{ key: string; xmax: string }>(
    `SELECT tx_hash AS key, xmax::text AS xmax, block_number, wanted, receipt_id FROM payment_block ORDER BY 1`,
  )
const states = (id: string) =>
  world.rows(`SELECT state, block_hash, count(*) FROM payment WHERE receipt_id = $1 GROUP BY 1, 2`, [id])

test('a stranger’s thousands of payments are credited, looked at, moved by a reorg and lost while the watcher waits', async () => {
  await world.mineAndScan()
  const head = await findCursor(world.needs.db, world.needs.chain.id, cursorNames.transfers)
  const first = (head?.number ?? 0n) + 1n
  const found = await dust('dusty', { number: first, digit: 'a' })
  const merchant = world.merchant.wallet
  const receiptId = found[0]?.target.receiptId
  if (!receiptId) throw new Error('there is dust')
  await settle({ found })
  for (let turn = mostInTurn; turn < dustCount; turn += mostInTurn)
    await settle({ looks: [{ merchant, receiptId }] })
  const count = BigInt(dustCount)
  expect(await states('dusty')).toEqual([{ state: 'credited', block_hash: `0x${'a'.repeat(64)}`, count }])

  const noted = await places()
  expect(noted).toHaveLength(dustCount)
  await settle({ looks: [{ merchant, receiptId }] })
  // Where nothing changed, no row was written, nor locked to be.
  expect(await places()).toEqual(noted)

  const moved = found.map((log) => ({ ...log, block: blockOf({ number: first + 1n, digit: 'b' }) }))
  await settle({ found: moved }, first - 1n)
  expect(await states('dusty')).toEqual([{ state: 'credited', block_hash: `0x${'b'.repeat(64)}`, count }])
  await settle({}, first - 1n)
  expect(await states('dusty')).toEqual([{ state: 'orphaned', block_hash: `0x${'b'.repeat(64)}`, count }])
  expect(await places()).toEqual([])
  const alerts = world.logged.filter(({ alert }) => alert === 'payment-orphaned')
  expect(alerts).toHaveLength(10)
  expect(alerts.at(-1)).toMatchObject({ moreCount: dustCount - 10 })
})
