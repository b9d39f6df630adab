import { pullFactoryAbi } from '@sluice/contracts/abi/PullFactory.ts'
import { testCbBTCAbi } from '@sluice/contracts/abi/TestCbBTC.ts'
import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { pullerAddress, splitSignature } from '../../../src/payments/relaying/permit.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { sendFirst } from '../../support/chain/calls.ts'
import { passBlock } from '../../support/chain/keeper.ts'
import { startRelaying } from '../../support/chain/relaying.ts'
import { fundPermitBuyer, signPermit } from '../../support/chain/signatures.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startRelaying)

type Signed = Awaited<ReturnType<typeof signPermit>>

const cbBTC = () => context.tokenAddress('cbBTC')
const pullFactory = () => context.needs.chain.pullFactory as Wallet
const pullOf = ({ depositAddress, amount }: Attempt, { authorization }: Signed) => ({
  depositAddress,
  tokenAddress: cbBTC(),
  amount,
  validBefore: authorization.validBefore,
})
const arrived = (attempt: Attempt) => context.balanceOf(cbBTC(), attempt.depositAddress)
function permitCall({ permit, signature }: Signed): { to: Hex; data: Hex } {
  const { owner, spender, value, deadline } = permit
  const { v, r, s } = splitSignature(signature)
  const args = [owner, spender, value, deadline, v, r, s] as const
  return { to: cbBTC(), data: encodeFunctionData({ abi: testCbBTCAbi, functionName: 'permit', args }) }
}

describe('the puller of a payment', () => {
  test('stands where the factory says it does', async () => {
    const attempt = await context.open('cbBTC')
    const signed = await signPermit(context, await fundPermitBuyer(context), attempt)
    const pull = pullOf(attempt, signed)
    const said = await context.node.client.readContract({
      address: pullFactory(),
      abi: pullFactoryAbi,
      functionName: 'pullerAddress',
      args: [attempt.depositAddress, cbBTC(), attempt.amount, pull.validBefore - 1n],
    })
    expect(pullerAddress(pullFactory(), pull)).toBe(said)
  })
})

describe('a payment by a permit', () => {
  test('leaves no allowance', async () => {
    const [buyer, attempt] = [await fundPermitBuyer(context), await context.open('cbBTC')]
    const signed = await signPermit(context, buyer, attempt)
    await context.submit(attempt, signed)
    await context.relayAndMine()
    expect((await context.relaysOf(attempt))[0]).toMatchObject({ state: 'mined', permitNonce: 0n })
    const allowance = await context.node.client.readContract({
      address: cbBTC(),
      abi: testCbBTCAbi,
      functionName: 'allowance',
      args: [buyer.wallet, signed.permit.spender],
    })
    expect(allowance).toBe(0n)
  })

  test('whose permit a stranger used before is paid all the same', async () => {
    const attempt = await context.open('cbBTC')
    const signed = await signPermit(context, await fundPermitBuyer(context), attempt)
    await context.submit(attempt, signed)
    await context.send(permitCall(signed))
    await passBlock(context)
    await context.relayAndMine()
    expect(await context.statusOf(attempt)).toBe('paid')
    expect((await context.relaysOf(attempt))[0]?.state).toBe('mined')
  })

  test('is not taken for made by what its payer sent before, although a stranger used the permit', async () => {
    const buyer = await fundPermitBuyer(context)
    const attempt = await context.open('cbBTC')
    const half = attempt.amount / 2n
    const { client } = context.node
    await client.setBalance({ address: buyer.wallet, value: 10n ** 18n })
    await client.impersonateAccount({ address: buyer.wallet })
    const args = [attempt.depositAddress, half] as const
    const data = encodeFunctionData({ abi: testCbBTCAbi, functionName: 'transfer', args })
    await client.sendUnsignedTransaction({ from: buyer.wallet, to: cbBTC(), data })
    await passBlock(context)
    await context.run(jobNames.scanTransfers)
    const signed = await signPermit(context, buyer, {
      ...attempt,
      amount: (attempt.amount - half) as TokenUnits,
    })
    expect(await context.submit(attempt, signed)).toMatchObject({ kind: 'accepted' })
    await context.send(permitCall(signed))
    await passBlock(context)
    await context.relayAndMine()
    expect(await context.statusOf(attempt)).toBe('paid')
    expect(await arrived(attempt)).toBe(attempt.amount)
  })

  test('whose nonce its payer uses for something else fails and is never sent', async () => {
    const buyer = await fundPermitBuyer(context)
    const attempt = await context.open('cbBTC')
    const signed = await signPermit(context, buyer, attempt)
    await context.submit(attempt, signed)
    await context.send(
      permitCall(await signPermit(context, buyer, attempt, { spender: context.platform.recipient })),
    )
    await passBlock(context)
    await context.run(jobNames.relayPayments)
    await context.clock.advance(31_000)
    await context.run(jobNames.relayPayments)
    expect((await context.relaysOf(attempt))[0]).toMatchObject({
      state: 'failed',
      reason: 'authorization_used',
    })
    expect(await context.countSent('relay', signed.authorization.nonce)).toBe(0)
  })

  test('that reverts on the chain says so, and blocks its payer for a day', async () => {
    const buyer = await fundPermitBuyer(context)
    const attempt = await context.open('cbBTC')
    const signed = await signPermit(context, buyer, attempt)
    await context.submit(attempt, signed)
    await context.run(jobNames.relayPayments)
    const other = await signPermit(context, buyer, attempt, { spender: context.platform.recipient })
    await sendFirst(context, permitCall(other))
    await passBlock(context)
    await context.run(jobNames.relayPayments)
    expect((await context.relaysOf(attempt))[0]).toMatchObject({ state: 'failed', reason: 'reverted' })
    const next = await context.open('cbBTC')
    const refused = await context.submit(next, await signPermit(context, buyer, next))
    expect(refused).toEqual({ kind: 'refused', reason: 'payer_blocked' })
  })

  test('that no block takes before its deadline is given up, and the wallet signs again', async () => {
    const buyer = await fundPermitBuyer(context)
    const [late, next] = [await context.open('cbBTC'), await context.open('cbBTC')]
    const deadline = BigInt(Math.floor(context.needs.chain.time.now() / 1000)) + 30n
    const signed = await signPermit(context, buyer, late, { deadline })
    expect(await context.submit(late, signed)).toMatchObject({ kind: 'accepted' })
    await context.run(jobNames.relayPayments)
    expect((await context.relaysOf(late))[0]).toMatchObject({ state: 'sent' })
    await context.node.passTime(32)
    await context.clock.advance(32_000)
    await context.run(jobNames.settleTransactions)
    await passBlock(context)
    await context.run(jobNames.settleTransactions, jobNames.relayPayments)
    const sent = await context.rows<{ kind: string; state: string }>(
      `SELECT kind, state FROM outgoing_transaction WHERE (sender, nonce) = (SELECT sender, nonce FROM outgoing_transaction
        WHERE detail::text LIKE '%${signed.authorization.nonce}%') ORDER BY attempt`,
    )
    expect(sent).toEqual([
      { kind: 'relay', state: 'replaced' },
      { kind: 'fill', state: 'mined' },
    ])
    const expired = { state: 'failed', reason: 'authorization_expired' }
    expect((await context.relaysOf(late))[0]).toMatchObject(expired)
    expect(await arrived(late)).toBe(0n)
    expect(await context.submit(next, await signPermit(context, buyer, next))).toMatchObject({
      kind: 'accepted',
    })
    await context.relayAndMine()
    expect(await context.statusOf(next)).toBe('paid')
  })
})
