import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { describe, expect, test } from 'vitest'
import { transferCall } from '../../../src/payments/relaying/relay-call.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { passBlock, payAttempt } from '../../support/chain/keeper.ts'
import { startRelaying } from '../../support/chain/relaying.ts'
import { fundGaslessBuyer, signAuthorization } from '../../support/chain/signatures.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startRelaying)

describe('a signed payment', () => {
  test('pays the receipt of a buyer who holds no ETH, at the relayer’s expense', async () => {
    const attempt = await context.open()
    const outcome = await context.submit(attempt, await signAuthorization(context, context.buyer, attempt))
    expect(outcome).toMatchObject({ kind: 'accepted', isNew: true })
    await context.relayAndMine()
    expect(await context.statusOf(attempt)).toBe('paid')
    const [relay] = await context.relaysOf(attempt)
    expect(relay).toMatchObject({ state: 'mined', txHash: expect.stringMatching(/^0x/) })
    expect(await context.balanceOf(context.tokenAddress('USDC'), attempt.depositAddress)).toBe(attempt.amount)
    expect(await context.balanceOf(nativeAddress, context.buyer.wallet)).toBe(0n)
    await context.run(jobNames.settleTransactions)
    const [row] = await context.rows<{ fee: bigint }>(
      `SELECT fee FROM outgoing_transaction WHERE kind = 'relay' AND hash = '${relay?.txHash}'`,
    )
    expect(BigInt(row?.fee ?? 0)).toBeGreaterThan(0n)
  })

  test('is settled for good once its block is final', async () => {
    const attempt = await context.open()
    await context.submit(attempt, await signAuthorization(context, context.buyer, attempt))
    await context.relayAndMine()
    for (let block = 0; block < 3; block++) await passBlock(context)
    await context.run(jobNames.scanTransfers, jobNames.relayPayments)
    const [relay] = await context.relaysOf(attempt)
    expect(relay?.settledAt).toBeDefined()
  })

  test('handed in twice, also at the same moment, is one payment', async () => {
    const attempt = await context.open()
    const signed = await signAuthorization(context, context.buyer, attempt)
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => context.submit(attempt, signed)))
    expect(outcomes.every(({ kind }) => kind === 'accepted')).toBe(true)
    expect(outcomes.filter((each) => each.kind === 'accepted' && each.isNew)).toHaveLength(1)
    await context.relayAndMine()
    expect(await context.relaysOf(attempt)).toHaveLength(1)
    expect(await context.countSent('relay', signed.authorization.nonce)).toBe(1)
  })

  test('that a stranger submits first is credited all the same, and our row says by what', async () => {
    const attempt = await context.open()
    const { authorization, signature } = await signAuthorization(context, context.buyer, attempt)
    await context.submit(attempt, { authorization, signature })
    const to = context.tokenAddress('USDC')
    const { hash } = await context.send({ to, data: transferCall(authorization, signature) })
    await context.run(jobNames.relayPayments)
    await passBlock(context)
    await context.run(jobNames.relayPayments, jobNames.scanTransfers)
    expect(await context.statusOf(attempt)).toBe('paid')
    expect((await context.relaysOf(attempt))[0]).toMatchObject({ state: 'mined', txHash: hash })
    expect(await context.balanceOf(to, attempt.depositAddress)).toBe(attempt.amount)
  })

  test('is never sent once its receipt was paid otherwise', async () => {
    const attempt = await context.open()
    const { authorization, signature } = await signAuthorization(context, context.buyer, attempt)
    await context.submit(attempt, { authorization, signature })
    await payAttempt(context, attempt, 'deposit')
    await context.run(jobNames.scanTransfers)
    await context.relayAndMine()
    expect((await context.relaysOf(attempt))[0]).toMatchObject({ state: 'failed', reason: 'already_paid' })
    expect(await context.countSent('relay', authorization.nonce)).toBe(0)
  })

  test('that crosses an own payment in one block pays once; the rest is the buyer’s excess', async () => {
    const attempt = await context.open()
    const signed = await signAuthorization(context, context.buyer, attempt)
    await context.submit(attempt, signed)
    await context.run(jobNames.relayPayments)
    await payAttempt(context, attempt, 'deposit')
    await context.run(jobNames.relayPayments, jobNames.scanTransfers)
    expect(await context.statusOf(attempt)).toBe('paid')
    const rows = await context.rows<{ state: string; amount: string }>(
      `SELECT state, amount FROM payment WHERE receipt_id = '${attempt.receiptId}'`,
    )
    expect(rows.filter(({ state }) => state === 'credited')).toHaveLength(1)
    expect(rows).toHaveLength(2)
  })

  test('that its payer cancels on the chain fails and is named so', async () => {
    const attempt = await context.open()
    const poor = await fundGaslessBuyer(context, 20)
    const signed = await signAuthorization(context, poor, attempt)
    await context.submit(attempt, signed)
    const elsewhere = { ...signed.authorization, to: context.platform.recipient }
    const other = await signAuthorization(context, poor, attempt, elsewhere)
    await context.send({
      to: context.tokenAddress('USDC'),
      data: transferCall(other.authorization, other.signature),
    })
    await passBlock(context)
    await context.relayAndMine()
    expect((await context.relaysOf(attempt))[0]).toMatchObject({
      state: 'failed',
      reason: 'authorization_used',
    })
    expect(await context.statusOf(attempt)).not.toBe('paid')
  })

  test('that a reorg takes back is sent again and pays once', async () => {
    const attempt = await context.open()
    await context.submit(attempt, await signAuthorization(context, context.buyer, attempt))
    await context.run(jobNames.relayPayments)
    await passBlock(context)
    await context.run(jobNames.relayPayments)
    expect((await context.relaysOf(attempt))[0]?.state).toBe('mined')
    await context.node.reorg(1)
    await passBlock(context)
    await context.run(jobNames.settleTransactions)
    await passBlock(context)
    await passBlock(context)
    await passBlock(context)
    await context.run(jobNames.scanTransfers, jobNames.relayPayments)
    expect((await context.relaysOf(attempt))[0]).toMatchObject({ state: 'mined' })
    expect(await context.statusOf(attempt)).toBe('paid')
    expect(await context.balanceOf(context.tokenAddress('USDC'), attempt.depositAddress)).toBe(attempt.amount)
  })
})
