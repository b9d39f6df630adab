import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { pullCall } from '../../../src/payments/relaying/permit.ts'
import { permit2Call } from '../../../src/payments/relaying/permit2.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { passBlock, payAttempt } from '../../support/chain/keeper.ts'
import { startRelaying } from '../../support/chain/relaying.ts'
import {
  fundPermit2Buyer,
  fundPermitBuyer,
  type GaslessBuyer,
  signPermit,
  signPermit2,
} from '../../support/chain/signatures.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startRelaying)

type Signed = Awaited<ReturnType<typeof signPermit | typeof signPermit2>>

/**
 * The signature types that the pull factory turns into payments, each with a token that supports no better
 * type.
 */
const ways = [
  {
    what: 'a permit',
    token: 'cbBTC',
    fund: () => fundPermitBuyer(context),
    sign: (buyer: GaslessBuyer, attempt: Attempt): Promise<Signed> => signPermit(context, buyer, attempt),
    call: pullCall,
  },
  {
    what: 'Permit2',
    token: 'USDT',
    fund: () => fundPermit2Buyer(context),
    sign: (buyer: GaslessBuyer, attempt: Attempt): Promise<Signed> => signPermit2(context, buyer, attempt),
    call: permit2Call,
  },
] as const

describe.each(ways)('a payment by $what', ({ token, fund, sign, call }) => {
  const open = () => context.open(token)
  const balanceOf = (wallet: Wallet) => context.balanceOf(context.tokenAddress(token), wallet)
  const arrived = ({ depositAddress }: Attempt) => balanceOf(depositAddress)
  const submitted = async () => {
    const [buyer, attempt] = [await fund(), await open()]
    const signed = await sign(buyer, attempt)
    expect(await context.submit(attempt, signed)).toMatchObject({ kind: 'accepted', isNew: true })
    return { buyer, attempt, signed }
  }
  const submission = (attempt: Attempt, { authorization, signature }: Signed, buyer: GaslessBuyer) => {
    const { depositAddress, amount } = attempt
    const { validBefore } = authorization
    const pull = { depositAddress, tokenAddress: context.tokenAddress(token), amount, validBefore }
    return { to: context.needs.chain.pullFactory as Hex, data: call(pull, buyer.wallet, signature) }
  }

  test('pays the receipt of a buyer who holds no ETH, and takes no more than that', async () => {
    const [buyer, attempt] = [await fund(), await open()]
    const before = await balanceOf(buyer.wallet)
    const signed = await sign(buyer, attempt)
    expect(await context.submit(attempt, signed)).toMatchObject({ kind: 'accepted', isNew: true })
    expect(await context.submit(attempt, signed)).toMatchObject({ kind: 'accepted', isNew: false })
    await context.relayAndMine()
    expect(await context.statusOf(attempt)).toBe('paid')
    const [relay] = await context.relaysOf(attempt)
    expect(relay).toMatchObject({ state: 'mined', way: signed.way, txHash: expect.stringMatching(/^0x/) })
    expect(await arrived(attempt)).toBe(attempt.amount)
    expect(await balanceOf(buyer.wallet)).toBe(before - attempt.amount)
    expect(await context.balanceOf(nativeAddress, buyer.wallet)).toBe(0n)
    expect(await context.countSent('relay', signed.authorization.nonce)).toBe(1)
  })

  test('is settled for good once its block is final', async () => {
    const { attempt } = await submitted()
    await context.relayAndMine()
    for (let block = 0; block < 3; block++) await passBlock(context)
    await context.run(jobNames.scanTransfers, jobNames.relayPayments)
    expect((await context.relaysOf(attempt))[0]?.settledAt).toBeDefined()
  })

  test('handed in four times at the same moment is one payment', async () => {
    const attempt = await open()
    const signed = await sign(await fund(), attempt)
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => context.submit(attempt, signed)))
    expect(outcomes.every(({ kind }) => kind === 'accepted')).toBe(true)
    expect(outcomes.filter((each) => each.kind === 'accepted' && each.isNew)).toHaveLength(1)
    await context.relayAndMine()
    expect(await arrived(attempt)).toBe(attempt.amount)
  })

  test('that a stranger submits first is credited once, and our row says by what', async () => {
    const { attempt, signed, buyer } = await submitted()
    const { hash } = await context.send(submission(attempt, signed, buyer))
    await context.run(jobNames.relayPayments) // reverts, since the stranger's transaction comes first
    await passBlock(context)
    await context.run(jobNames.relayPayments, jobNames.scanTransfers)
    expect(await context.statusOf(attempt)).toBe('paid')
    expect((await context.relaysOf(attempt))[0]).toMatchObject({ state: 'mined', txHash: hash })
    expect(await arrived(attempt)).toBe(attempt.amount)
  })

  test('is never sent once its receipt was paid otherwise', async () => {
    const { attempt, signed } = await submitted()
    await payAttempt(context, attempt, 'deposit')
    await context.run(jobNames.scanTransfers)
    await context.relayAndMine()
    expect((await context.relaysOf(attempt))[0]).toMatchObject({ state: 'failed', reason: 'already_paid' })
    expect(await context.countSent('relay', signed.authorization.nonce)).toBe(0)
    expect(await arrived(attempt)).toBe(attempt.amount)
  })

  test('that meets the payer’s own payment in one block pays, and the other is the excess', async () => {
    const { attempt } = await submitted()
    await context.run(jobNames.relayPayments)
    await payAttempt(context, attempt, 'deposit')
    await context.relayAndMine()
    expect(await context.statusOf(attempt)).toBe('paid')
    expect((await context.relaysOf(attempt))[0]).toMatchObject({ state: 'mined' })
    expect(await arrived(attempt)).toBe(2n * attempt.amount)
    const states = await context.rows<{ state: string }>(
      `SELECT state FROM payment WHERE receipt_id = '${attempt.receiptId}' ORDER BY state`,
    )
    expect(states).toEqual([{ state: 'credited' }, { state: 'unmatched' }])
  })

  test('that a reorg takes back is sent again and pays once', async () => {
    const { attempt } = await submitted()
    await context.run(jobNames.relayPayments)
    await passBlock(context)
    await context.run(jobNames.relayPayments)
    expect((await context.relaysOf(attempt))[0]?.state).toBe('mined')
    await context.node.reorg(1)
    await passBlock(context)
    await context.run(jobNames.settleTransactions)
    for (let block = 0; block < 3; block++) await passBlock(context)
    await context.run(jobNames.scanTransfers, jobNames.relayPayments)
    expect((await context.relaysOf(attempt))[0]).toMatchObject({ state: 'mined' })
    expect(await context.statusOf(attempt)).toBe('paid')
    expect(await arrived(attempt)).toBe(attempt.amount)
  })
})
