import { randomBytes } from 'node:crypto'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { type AuditOutcome, describeDifferences } from '../../../src/audit/audit-money.ts'
import { depositAddress } from '../../../src/payments/attempts/references.ts'
import { sweepData } from '../../../src/payments/sweeping/read-sweepable.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { auditChain } from '../../support/chain/audit-chain.ts'
import { perCase } from '../../support/per-file.ts'
import { makeHidingEndpoint, startHidingPayments } from './watched-payments.ts'

const context = perCase(startHidingPayments)

const audit = () => auditChain(context.needs.db, context.chain)
const plant = (text: string, values: readonly string[]) => context.needs.db.run({ name: '', text }, values)

const plantPayment = (hash: string, { txHash = 'tx_hash', logIndex = 'log_index', payer = 'payer' }) =>
  plant(
    `INSERT INTO payment (merchant, chain, tx_hash, log_index, address, receipt_id, attempt_id, kind, token,
        token_address, amount, payer, rate_e8, is_late, block_number, block_hash, block_at, state, seen_at, credited_at)
      SELECT merchant, chain, ${txHash}, ${logIndex}, address, receipt_id, attempt_id, kind, token, token_address,
        amount, ${payer}, rate_e8, is_late, block_number, block_hash, block_at, state, seen_at, credited_at
      FROM payment WHERE tx_hash = $1`,
    [hash],
  )

async function read() {
  await context.mineAndScan(8)
  await context.run(jobNames.scanDistributions)
}

const differing = ({ differences }: AuditOutcome) =>
  differences.flatMap(({ transactions }) =>
    transactions.map(({ hash, chain, ledger }) => ({ hash, chain, ledger })),
  )

async function paid(id: string, token: 'ETH' | 'USDC', way: 'call' | 'transfer') {
  const attempt = await context.open(id, 20, token)
  const { hash } = await context.pay(attempt, way)
  return { attempt, hash, amount: BigInt(attempt.amount) }
}

test('where every base unit is in one receipt or case nothing differs, and the sums say where it lies', async () => {
  const byDeposit = await paid('deposit', 'USDC', 'transfer')
  const byCall = await paid('call', 'USDC', 'call')
  await paid('coin', 'ETH', 'transfer')
  await context.pay(byDeposit.attempt, 'transfer', 7n)
  await read()
  const { differences, lines, block, latest } = await audit()
  expect(differences).toEqual([])
  expect(latest - block).toBe(4n)
  const [line] = lines.filter(({ token }) => token === context.tokenAddress('USDC'))
  expect(line).toMatchObject({
    atDeposits: byDeposit.amount + 7n,
    heldByDeposits: byDeposit.amount + 7n,
    direct: byCall.amount,
    heldBySplit: byCall.amount,
    swept: 0n,
    released: 0n,
    credited: byDeposit.amount + byCall.amount,
    unmatched: 7n,
  })
})

test('coin credited twice is named by what the books hold of it and the chain never had', async () => {
  const { hash, amount, attempt } = await paid('twice', 'ETH', 'transfer')
  await read()
  // Records the coin payment a second time. Two readers of one balance would record it once with its
  // transaction and once without.
  const made = await plantPayment(hash, { txHash: 'block_hash', payer: 'NULL' })
  expect(made).toBe(1)
  const text = 'SELECT block_hash FROM payment WHERE tx_hash = $1'
  const [row] = await context.rows<{ block_hash: Hex }>(text, [hash])
  const outcome = await audit()
  expect(differing(outcome)).toEqual([{ hash: row?.block_hash, chain: 0n, ledger: amount }])
  const reported = describeDifferences(outcome.differences).join('\n')
  expect(reported).toContain(`never arrived at deposit ${attempt.depositAddress}`)
  context.endsUneven('a double credit was planted')
})

test('a token credited twice under two logs of one transaction is named by the transaction', async () => {
  const { hash, amount } = await paid('twice', 'USDC', 'transfer')
  await read()
  await plantPayment(hash, { logIndex: 'log_index + 1' })
  expect(differing(await audit())).toEqual([{ hash, chain: amount, ledger: 2n * amount }])
  context.endsUneven('a double credit was planted')
})

test.each([
  ['USDC', 'transfer'],
  ['USDC', 'call'],
  ['ETH', 'call'],
] as const)('money in %s by %s whose log the endpoint left out once is named by its transaction', async (token, way) => {
  const { hash, amount } = await paid('hidden', token, way)
  await context.mine()
  context.hide([hash], 'once')
  await context.scan()
  expect(context.endpoint.hiddenCount).toBe(1)
  await read()
  expect(await context.status('hidden')).toBe('pending')
  expect(differing(await audit())).toEqual([{ hash, chain: amount, ledger: 0n }])
  context.endsUneven('nobody read the chain a second time')
})

test('money hidden from the audit’s own reading is found by halving over blocks, and still named', async () => {
  const transfer = await paid('lost-transfer', 'USDC', 'transfer')
  await context.mine(5)
  const call = await paid('lost-call', 'ETH', 'call')
  await read()
  const hashes = [transfer.hash, call.hash]
  await plant(`DELETE FROM payment WHERE tx_hash IN ($1, $2)`, hashes)
  const endpoint = makeHidingEndpoint()
  endpoint.hide(() => true, 'for ever')
  const { differences } = await auditChain(context.needs.db, context.chain, endpoint.outbound)
  expect(endpoint.hiddenCount).toBeGreaterThan(0)
  const found = differences.flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
  expect(found.sort()).toEqual(hashes.sort())
  context.endsUneven('payments were deleted')
})

test('a case that was refunded and stands in the inbox once more, under a shifted log, is named', async () => {
  const { attempt } = await paid('again', 'USDC', 'transfer')
  await context.mine()
  const { hash } = await context.pay(attempt, 'transfer', 5_000_000n)
  await read()
  await context.syncClock()
  const [payment] = await context.cases(hash)
  await context.asOwner('POST', `/api/payments/unmatched/${payment?.id}`, { action: 'refund' })
  expect(differing(await audit())).toEqual([])
  await plant(
    `INSERT INTO unmatched_payment (merchant, id, chain, tx_hash, log_index, address, receipt_id, token_address, amount,
        payer, reason, state, block_number, block_hash, block_at, seen_at)
      SELECT merchant, 'second', chain, tx_hash, log_index + 1, address, receipt_id, token_address, amount, payer,
        reason, 'open', block_number, block_hash, block_at, seen_at
      FROM unmatched_payment WHERE tx_hash = $1`,
    [hash],
  )
  const outcome = await audit()
  expect(differing(outcome)).toEqual([{ hash, chain: 5_000_000n, ledger: 10_000_000n }])
  const text = describeDifferences(outcome.differences).join('\n')
  expect(text).toContain('refunded as unmatched payment')
  expect(text).toContain('unmatched as')
  context.endsUneven('a case was planted twice')
})

test('one base unit is enough, and work in flight is none', async () => {
  const { hash, amount } = await paid('unit', 'USDC', 'transfer')
  await read()
  await paid('in-flight', 'USDC', 'transfer')
  await context.mine()
  expect(differing(await audit())).toEqual([])
  await context.scan()
  const { differences, above } = await audit()
  expect(differences).toEqual([])
  expect(above.map(({ subject }) => subject)).toEqual(['in-flight'])
  await plant('UPDATE payment SET amount = amount - 1 WHERE tx_hash = $1', [hash])
  expect(differing(await audit())).toEqual([{ hash, chain: amount, ledger: amount - 1n }])
  context.endsUneven('a base unit was taken out of the books')
})

test('what a stranger sweeps from a deposit of its own making is an unmatched payment, and the sums add up', async () => {
  const { attempt, amount } = await paid('own', 'USDC', 'transfer')
  const split = attempt.payTo as Wallet
  const { factory } = context.needs.chain
  const reference: Hex = `0x${randomBytes(32).toString('hex')}`
  const deposit = depositAddress(factory, split, reference)
  const [usdc, units] = [context.tokenAddress('USDC'), { USDC: 7_000_000n, ETH: 10n ** 18n }]
  await context.transfer(usdc, deposit, units.USDC)
  await context.transfer(nativeAddress, deposit, units.ETH)
  await context.mine()
  const sweep = (token: Wallet) => context.send({ to: factory, data: sweepData({ split, reference, token }) })
  const sweeps = { USDC: await sweep(usdc), ETH: await sweep(nativeAddress) }
  await read()
  for (const token of ['USDC', 'ETH'] as const)
    expect(await context.cases(sweeps[token].hash)).toMatchObject([
      { reason: 'unknown-deposit', receiptId: null, payer: null, token, amountRaw: units[token].toString() },
    ])
  const { differences, lines } = await audit()
  expect(differences).toEqual([])
  for (const { atDeposits, direct, heldByDeposits, heldBySplit, released } of lines)
    expect(atDeposits + direct).toBe(heldByDeposits + heldBySplit + released)
  const [line] = lines.filter(({ token }) => token === usdc)
  expect(line).toMatchObject({ credited: amount, unmatched: units.USDC, direct: units.USDC })

  await plant('DELETE FROM unmatched_payment WHERE tx_hash = $1', [sweeps.USDC.hash])
  expect(differing(await audit())).toEqual([{ hash: sweeps.USDC.hash, chain: units.USDC, ledger: 0n }])
  context.endsUneven('a case was deleted')
})

test('an attempt that is deleted with its payment is found, with what the watcher knows of it too', async () => {
  const { hash, amount, attempt } = await paid('deleted', 'USDC', 'transfer')
  await read()
  await plant('DELETE FROM payment WHERE tx_hash = $1', [hash])
  await plant('DELETE FROM attempt WHERE id = $1', [attempt.attemptId])
  expect(differing(await audit())).toEqual([{ hash, chain: amount, ledger: 0n }])
  await plant('DELETE FROM attempt_target WHERE attempt_id = $1', [attempt.attemptId])
  expect(differing(await audit())).toEqual([{ hash, chain: 0n, ledger: 0n }])
  context.endsUneven('an attempt was deleted')
})

test.each([
  ['USDC', 'transfer'],
  ['USDC', 'call'],
  ['ETH', 'transfer'],
] as const)('a credit in %s by %s that stands in another receipt is found', async (token, way) => {
  const { hash, amount } = await paid('right', token, way)
  const other = await context.open('wrong', 20, token)
  await read()
  const move = 'UPDATE payment SET receipt_id = $1, attempt_id = $2 WHERE tx_hash = $3'
  await plant(move, ['wrong', other.attemptId, hash])
  const outcome = await audit()
  expect(differing(outcome)).toEqual(
    expect.arrayContaining([
      { hash, chain: amount, ledger: 0n },
      { hash, chain: 0n, ledger: amount },
    ]),
  )
  expect(describeDifferences(outcome.differences).join('\n')).toContain('credited to receipt wrong')
  context.endsUneven('a credit was moved')
})

test('a deposit address that does not follow from its split and reference is named', async () => {
  const { attempt } = await paid('address', 'USDC', 'transfer')
  await read()
  await plant('UPDATE attempt_target SET reference = $1 WHERE attempt_id = $2', [
    `0x${'7'.repeat(64)}`,
    attempt.attemptId,
  ])
  const reported = describeDifferences((await audit()).differences).join('\n')
  expect(reported).toContain(`${attempt.depositAddress} of receipt address does not follow`)
  context.endsUneven('a reference was changed')
})
