import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { describe, expect, test } from 'vitest'
import { transferCall } from '../../../src/payments/relaying/relay-call.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { passBlock, payAttempt } from '../../support/chain/keeper.ts'
import { startRelaying } from '../../support/chain/relaying.ts'
import { fundGaslessBuyer, signAuthorization } from '../../support/chain/signatures.ts'
import { perFile } from '../../support/per-file.ts'

const world = perFile(startRelaying)

describe('a signed payment', () => {
  test('pays the receipt of a buyer who holds no ETH, at the relayer’s expense', async () => {
    const attempt = await world.open()
    const outcome = await world.submit(attempt, await signAuthorization(world, world.buyer, attempt))
    expect(outcome).toMatchObject({ kind: 'accepted', isNew: true })
    await world.relayAndMine()
    expect(await world.statusOf(attempt)).toBe('paid')
    const [relay] = await world.relaysOf(attempt)
    expect(relay).toMatchObject({ state: 'mined', txHash: expect.stringMatching(/^0x/) })
    expect(await world.balanceOf(world.tokenAddress('USDC'), attempt.depositAddress)).toBe(attempt.amount)
    expect(await world.balanceOf(nativeAddress, world.buyer.wallet)).toBe(0n)
    await world.run(jobNames.settleTransactions)
    const [row] = await world.rows<{ fee: bigint }>(
      `SELECT fee FROM own_transaction WHERE kind = 'relay' AND hash = '${relay?.txHash}'`,
    )
    expect(BigInt(row?.fee ?? 0)).toBeGreaterThan(0n)
  })

  test('is settled for good once its block is final', async () => {
    const attempt = await world.open()
    await world.submit(attempt, await signAuthorization(world, world.buyer, attempt))
    await world.relayAndMine()
    for (let block = 0; block < 3; block++) await passBlock(world)
    await world.run(jobNames.scanTransfers, jobNames.relayPayments)
    const [relay] = await world.relaysOf(attempt)
    expect(relay?.settledAt).toBeDefined()
  })

  test('handed in twice, also at the same moment, is one payment', async () => {
    const attempt = await world.open()
    const signed = await signAuthorization(world, world.buyer, attempt)
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => world.submit(attempt, signed)))
    expect(outcomes.every(({ kind }) => kind === 'accepted')).toBe(true)
    expect(outcomes.filter((each) => each.kind === 'accepted' && each.isNew)).toHaveLength(1)
    await world.relayAndMine()
    expect(await world.relaysOf(attempt)).toHaveLength(1)
    expect(await world.countSent('relay', signed.authorization.nonce)).toBe(1)
  })

  test('that a stranger submits first is credited all the same, and our row says by what', async () => {
    const attempt = await world.open()
    const { authorization, signature } = await signAuthorization(world, world.buyer, attempt)
    await world.submit(attempt, { authorization, signature })
    const to = world.tokenAddress('USDC')
    const { hash } = await world.send({ to, data: transferCall(authorization, signature) })
    await world.run(jobNames.relayPayments) // sent beside the stranger's, and reverts
    await passBlock(world)
    await world.run(jobNames.relayPayments, jobNames.scanTransfers)
    expect(await world.statusOf(attempt)).toBe('paid')
    expect((await world.relaysOf(attempt))[0]).toMatchObject({ state: 'mined', txHash: hash })
    expect(await world.balanceOf(to, attempt.depositAddress)).toBe(attempt.amount)
  })

  test('is never sent once its receipt was paid otherwise', async () => {
    const attempt = await world.open()
    const { authorization, signature } = await signAuthorization(world, world.buyer, attempt)
    await world.submit(attempt, { authorization, signature })
    await payAttempt(world, attempt, 'deposit')
    await world.run(jobNames.scanTransfers)
    await world.relayAndMine()
    expect((await world.relaysOf(attempt))[0]).toMatchObject({ state: 'failed', reason: 'already_paid' })
    expect(await world.countSent('relay', authorization.nonce)).toBe(0)
  })

  test('that crosses an own payment in one block pays once; the rest is the buyer’s excess', async () => {
    const attempt = await world.open()
    const signed = await signAuthorization(world, world.buyer, attempt)
    await world.submit(attempt, signed)
    await world.run(jobNames.relayPayments)
    await payAttempt(world, attempt, 'deposit')
    await world.run(jobNames.relayPayments, jobNames.scanTransfers)
    expect(await world.statusOf(attempt)).toBe('paid')
    const rows = await world.rows<{ state: string; amount: string }>(
      `SELECT state, amount FROM payment WHERE receipt_id = '${attempt.receiptId}'`,
    )
    expect(rows.filter(({ state }) => state === 'credited')).toHaveLength(1)
    expect(rows).toHaveLength(2)
  })

  test('that its payer cancels on the chain fails and is named so', async () => {
    const attempt = await world.open()
    const poor = await fundGaslessBuyer(world, 20)
    const signed = await signAuthorization(world, poor, attempt)
    await world.submit(attempt, signed)
    // The buyer signs the same nonce over to somebody else, who submits it first.
    const elsewhere = { ...signed.authorization, to: world.platform.recipient }
    const other = await signAuthorization(world, poor, attempt, elsewhere)
    await world.send({
      to: world.tokenAddress('USDC'),
      data: transferCall(other.authorization, other.signature),
    })
    await passBlock(world)
    await world.relayAndMine()
    expect((await world.relaysOf(attempt))[0]).toMatchObject({
      state: 'failed',
      reason: 'authorization_used',
    })
    expect(await world.statusOf(attempt)).not.toBe('paid')
  })

  test('that a reorg takes back is sent again and pays once', async () => {
    const attempt = await world.open()
    await world.submit(attempt, await signAuthorization(world, world.buyer, attempt))
    await world.run(jobNames.relayPayments)
    await passBlock(world)
    await world.run(jobNames.relayPayments)
    expect((await world.relaysOf(attempt))[0]?.state).toBe('mined')
    await world.node.reorg(1)
    await passBlock(world)
    await world.run(jobNames.settleTransactions)
    await passBlock(world)
    await passBlock(world)
    await passBlock(world)
    await world.run(jobNames.scanTransfers, jobNames.relayPayments)
    expect((await world.relaysOf(attempt))[0]).toMatchObject({ state: 'mined' })
    expect(await world.statusOf(attempt)).toBe('paid')
    expect(await world.balanceOf(world.tokenAddress('USDC'), attempt.depositAddress)).toBe(attempt.amount)
  })
})
