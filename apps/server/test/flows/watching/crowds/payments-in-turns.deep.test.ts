import type { RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import { expect, test } from 'vitest'
import { randomFraction } from '../../../../src/kernel/random.ts'
import { listAttempts } from '../../../../src/payments/attempts/store.ts'
import type { Target } from '../../../../src/payments/attempts/targets.ts'
import type { Payment } from '../../../../src/payments/ledger/payment.ts'
import { savePlaces } from '../../../../src/payments/ledger/place-store.ts'
import { mostInTurn, readPayments } from '../../../../src/payments/ledger/read-payments.ts'
import { insertPayments } from '../../../../src/payments/ledger/store.ts'
import type { Database } from '../../../../src/platform/database/database.ts'
import { isOnCluster } from '../../../support/database/on-cluster.ts'
import { type AtStatement, wrapDatabase } from '../../../support/database/wrap-database.ts'
import { perCase } from '../../../support/per-file.ts'
import { seededRandom } from '../../../support/test-random.ts'
import { startCrowd } from './crowd.ts'

const world = perCase(startCrowd)

type Drawn = Partial<Payment>

/** Has a receipt's payments stand in the chain, none of them final. */
async function see(target: Target, payments: readonly Drawn[]): Promise<void> {
  const { db, chain, clock } = world.needs
  const [attempt] = await listAttempts(db, target.merchant, target.receiptId)
  if (!attempt) throw new Error('there is an attempt')
  const { merchant, receiptId, token, rate } = attempt
  const seen = payments.map((drawn, i): Payment => {
    const { kind, source, txHash, logIndex, address, amount, payer, block } = world.find(target, i, 0n)
    const place = { txHash, logIndex, address, block, attemptId: attempt.id, merchant, receiptId }
    const worth = { token, units: amount as TokenUnits, rate, isLate: false }
    const past = { seenAt: clock.now(), creditedAt: undefined, acceptedAt: undefined }
    return { ...place, ...worth, ...past, kind, source, payer, state: 'seen', ...drawn }
  })
  await db.transaction(async (tx) => {
    await insertPayments(tx, chain.id, seen)
    const places = seen.map((each) => ({ ...each, blockNumber: each.block.number, wanted: 'safe' as const }))
    await savePlaces(tx, chain.id, places)
  })
}

test('payments that become final all at once are settled in turns, until none of them waits', async () => {
  const target = await world.openTarget('at-once')
  const first = await world.nextBlock()
  const { block } = world.find(target, 0, first)
  const count = 2 * mostInTurn + 1_000
  await see(
    target,
    Array.from({ length: count }, () => ({ block, units: 3_000n as TokenUnits })),
  )
  const isFinal = { safe: first, final: first }
  const seen: string[] = []
  for (let look = 0; look < 3; look++) {
    expect(await world.due(isFinal)).toEqual(['at-once'])
    const { mostAtOnce } = await world.settle(isFinal, { looks: [target] })
    expect(mostAtOnce).toBeLessThanOrEqual(mostInTurn + 2)
    seen.push((await world.payment('at-once')).status)
  }
  expect(await world.due(isFinal)).toEqual([])
  expect(seen).toEqual(['pending', 'paid', 'paid'])
  const [credited, unmatched] = await world.states(target)
  expect([credited?.state, unmatched?.state]).toEqual(['credited', 'unmatched'])
  expect(Number(credited?.count) + Number(unmatched?.count)).toBe(count)
  const received = String(3_000n * (credited?.count ?? 0n))
  expect(await world.payment('at-once')).toMatchObject({ state: 'paid', received })
  const [paid] = await world.rows('SELECT paid_units FROM receipt WHERE id = $1', ['at-once'])
  expect(paid).toEqual({ paid_units: BigInt(received) })
})

/** More than are told apart, of any worth and at any place, in an order that is not that of their numbers. */
function draw(target: Target, { seed, first, mark }: { seed: number; first: bigint; mark: string }): Drawn[] {
  const random = seededRandom(seed)
  const upTo = (end: number) => Math.floor(randomFraction(random) * end)
  const pairs = Array.from({ length: 540 }, () => ({ at: BigInt(upTo(5)), hash: upTo(2 ** 31) }))
  return pairs.flatMap(({ at, hash }, i) =>
    [0, 1].map((side): Drawn => {
      const { block } = world.find(target, 0, first + at)
      const isCoin = i % 9 === 0
      const isUnpriced = upTo(20) === 0
      return {
        block,
        txHash: `0x${mark}${hash.toString(16).padStart(63, '0')}`,
        logIndex: isCoin ? -1 : upTo(1_000) * 2 + side,
        address: isCoin ? `0x${String(1 - side).padStart(40, '0')}` : '',
        kind: isCoin ? 'native' : 'transfer',
        units: BigInt(1 + upTo(70_000)) as TokenUnits,
        isLate: isUnpriced || upTo(9) === 0,
        rate: (isUnpriced ? 0n : 100_000_000n - BigInt(upTo(5))) as RateE8,
      }
    }),
  )
}

/** Turns of another size, or none. */
function turnsOf(size: number | undefined): AtStatement {
  const { db } = world.needs
  const on: Pick<Database, 'rows'> = {
    rows: (statement) => {
      const values = (statement.values ?? []).map((value) =>
        value === mostInTurn - 1 ? (size ?? 1) - 1 : value,
      )
      return size === undefined ? Promise.resolve([]) : db.rows({ ...statement, values })
    },
  }
  return (statement, run) => (statement.name === 'find-end-of-turn' ? run(on as Database) : run())
}

/** All that a receipt and its money came to, without what tells the receipt from another one. */
async function outcomeOf({ receiptId }: Target) {
  const key = `substr(tx_hash, 4) AS hash, log_index, address`
  return {
    payments: await world.rows(
      `SELECT ${key}, state, credited_at IS NULL AS is_uncredited FROM payment WHERE receipt_id = $1 ORDER BY 1, 2, 3`,
      [receiptId],
    ),
    cases: await world.rows(
      `SELECT ${key}, state, reason, amount FROM unmatched_payment WHERE receipt_id = $1 ORDER BY 1, 2, 3`,
      [receiptId],
    ),
    places: await world.rows(
      `SELECT ${key}, wanted FROM payment_block WHERE receipt_id = $1 ORDER BY 1, 2, 3`,
      [receiptId],
    ),
    receipt: await world.rows(
      `SELECT status, payment, paid_units, buyer_wallet, substr(transaction_hash, 4) AS hash FROM receipt WHERE id = $1`,
      [receiptId],
    ),
  }
}

test.each([
  [1, 'final', 20, 400],
  [2, 'safe', 20, 150],
  [3, 'final', 20, 37],
  [4, 'safe', 90, 240],
  // The last turn is that of a single one.
  [5, 'final', 1, 360],
] as const)('the same is credited in turns as all at once (%i: %s, %i USD, turns of %i)', async (...given) => {
  const [seed, least, totalUsd, size] = given
  const [whole, inTurns] = [
    await world.openTarget('whole', totalUsd),
    await world.openTarget('turns', totalUsd),
  ]
  const first = await world.nextBlock()
  await see(whole, draw(whole, { seed, first, mark: 'a' }))
  await see(inTurns, draw(inTurns, { seed, first, mark: 'b' }))
  // Comes while others wait for their turn, and has its own after them.
  const later = (target: Target, mark: string) => {
    const found = world.find(target, 7, first + 5n, 25_000_000n)
    return { ...found, txHash: `0x${mark}${found.txHash.slice(3)}` as const }
  }
  const sure = { safe: first + 5n, final: first + (least === 'final' ? 5n : 2n) }
  const atOnce = { least, at: turnsOf(undefined) }
  await world.settle(sure, { looks: [whole], found: [later(whole, 'a')] }, atOnce)
  let looks = 0
  while ((await world.due(sure)).length > 0) {
    const found = looks === 1 ? [later(inTurns, 'b')] : []
    await world.settle(sure, { looks: [inTurns], found }, { least, at: turnsOf(size) })
    looks += 1
  }
  expect(looks).toBe(Math.ceil(1_081 / size))
  expect(await outcomeOf(inTurns)).toEqual(await outcomeOf(whole))
})

test.skipIf(isOnCluster)(
  'turns end in the order of the chain, whatever the order of texts in the database',
  async () => {
    // First of all: a connection that has read payments before would refuse to read them as another type.
    for (const column of ['address', 'tx_hash'])
      await world.rows(`ALTER TABLE payment ALTER COLUMN ${column} TYPE text COLLATE "en-x-icu"`)
    const target = await world.openTarget('coin')
    const first = await world.nextBlock()
    const { block, txHash } = world.find(target, 0, first)
    // Of all these a database may say that "a" comes before "B".
    const address = (i: number) =>
      `0x${(i % 2 ? 'aB' : 'Ba').repeat(15)}${i.toString(16).padStart(10, '0')}` as const
    const payments = Array.from({ length: 1_100 }, (_, i): Drawn => {
      return { block, txHash, logIndex: -1, address: address(i), kind: 'native' }
    })
    await see(target, payments)
    const inOrder = payments.map(({ address = '' }) => address).sort()
    expect(inOrder).not.toEqual(inOrder.toSorted((a, b) => a.localeCompare(b, 'en')))
    for (const size of [1, 500, 777]) {
      const db = wrapDatabase(world.needs.db, turnsOf(size))
      const { turnEnd, payments: read } = await readPayments(db, { ...target, upTo: first })
      expect(turnEnd?.address).toBe(inOrder[size - 1])
      expect(read.map(({ address }) => address)).toEqual([...inOrder.slice(0, size), inOrder.at(-1)])
    }
  },
)
