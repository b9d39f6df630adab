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

const world = perFile(startRelaying)

type Signed = Awaited<ReturnType<typeof signPermit>>

const cbBTC = () => world.tokenAddress('cbBTC')
const pullFactory = () => world.needs.chain.pullFactory as Wallet
const pullOf = ({ depositAddress, amount }: Attempt, { authorization }: Signed) => ({
  depositAddress,
  tokenAddress: cbBTC(),
  amount,
  validBefore: authorization.validBefore,
})
const arrived = (attempt: Attempt) => world.balanceOf(cbBTC(), attempt.depositAddress)
/** The call of the token that uses a permit and moves nothing. */
function permitCall({ permit, signature }: Signed): { to: Hex; data: Hex } {
  const { owner, spender, value, deadline } = permit
  const { v, r, s } = splitSignature(signature)
  const args = [owner, spender, value, deadline, v, r, s] as const
  return { to: cbBTC(), data: encodeFunctionData({ abi: testCbBTCAbi, functionName: 'permit', args }) }
}

describe('the puller of a payment', () => {
  test('stands where the factory says it does', async () => {
    const attempt = await world.open('cbBTC')
    const signed = await signPermit(world, await fundPermitBuyer(world), attempt)
    const pull = pullOf(attempt, signed)
    const said = await world.node.client.readContract({
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
    const [buyer, attempt] = [await fundPermitBuyer(world), await world.open('cbBTC')]
    const signed = await signPermit(world, buyer, attempt)
    await world.submit(attempt, signed)
    await world.relayAndMine()
    expect((await world.relaysOf(attempt))[0]).toMatchObject({ state: 'mined', permitNonce: 0n })
    const allowance = await world.node.client.readContract({
      address: cbBTC(),
      abi: testCbBTCAbi,
      functionName: 'allowance',
      args: [buyer.wallet, signed.permit.spender],
    })
    expect(allowance).toBe(0n)
  })

  test('whose permit a stranger used before is paid all the same', async () => {
    const attempt = await world.open('cbBTC')
    const signed = await signPermit(world, await fundPermitBuyer(world), attempt)
    await world.submit(attempt, signed)
    await world.send(permitCall(signed))
    await passBlock(world)
    await world.relayAndMine()
    expect(await world.statusOf(attempt)).toBe('paid')
    expect((await world.relaysOf(attempt))[0]?.state).toBe('mined')
  })

  test('is not taken for made by what its payer sent before, although a stranger used the permit', async () => {
    const buyer = await fundPermitBuyer(world)
    const attempt = await world.open('cbBTC')
    const half = attempt.amount / 2n
    const { client } = world.node
    await client.setBalance({ address: buyer.wallet, value: 10n ** 18n })
    await client.impersonateAccount({ address: buyer.wallet })
    const args = [attempt.depositAddress, half] as const
    const data = encodeFunctionData({ abi: testCbBTCAbi, functionName: 'transfer', args })
    await client.sendUnsignedTransaction({ from: buyer.wallet, to: cbBTC(), data })
    await passBlock(world)
    await world.run(jobNames.scanTransfers)
    const signed = await signPermit(world, buyer, {
      ...attempt,
      amount: (attempt.amount - half) as TokenUnits,
    })
    expect(await world.submit(attempt, signed)).toMatchObject({ kind: 'accepted' })
    await world.send(permitCall(signed))
    await passBlock(world)
    await world.relayAndMine()
    expect(await world.statusOf(attempt)).toBe('paid')
    expect(await arrived(attempt)).toBe(attempt.amount)
  })

  test('whose nonce its payer uses for something else fails and is never sent', async () => {
    const buyer = await fundPermitBuyer(world)
    const attempt = await world.open('cbBTC')
    const signed = await signPermit(world, buyer, attempt)
    await world.submit(attempt, signed)
    await world.send(
      permitCall(await signPermit(world, buyer, attempt, { spender: world.platform.recipient })),
    )
    await passBlock(world)
    await world.run(jobNames.relayPayments)
    await world.clock.advance(31_000)
    await world.run(jobNames.relayPayments)
    expect((await world.relaysOf(attempt))[0]).toMatchObject({
      state: 'failed',
      reason: 'authorization_used',
    })
    expect(await world.countSent('relay', signed.authorization.nonce)).toBe(0)
  })

  test('that reverts on the chain says so, and blocks its payer for a day', async () => {
    const buyer = await fundPermitBuyer(world)
    const attempt = await world.open('cbBTC')
    const signed = await signPermit(world, buyer, attempt)
    await world.submit(attempt, signed)
    await world.run(jobNames.relayPayments)
    const other = await signPermit(world, buyer, attempt, { spender: world.platform.recipient })
    await sendFirst(world, permitCall(other))
    await passBlock(world)
    await world.run(jobNames.relayPayments)
    expect((await world.relaysOf(attempt))[0]).toMatchObject({ state: 'failed', reason: 'reverted' })
    const next = await world.open('cbBTC')
    const refused = await world.submit(next, await signPermit(world, buyer, next))
    expect(refused).toEqual({ kind: 'refused', reason: 'payer_blocked' })
  })

  test('that no block takes before its deadline is given up, and the wallet signs again', async () => {
    const buyer = await fundPermitBuyer(world)
    const [late, next] = [await world.open('cbBTC'), await world.open('cbBTC')]
    const deadline = BigInt(Math.floor(world.needs.chain.time.now() / 1000)) + 30n
    const signed = await signPermit(world, buyer, late, { deadline })
    expect(await world.submit(late, signed)).toMatchObject({ kind: 'accepted' })
    await world.run(jobNames.relayPayments)
    expect((await world.relaysOf(late))[0]).toMatchObject({ state: 'sent' })
    await world.node.passTime(32)
    await world.clock.advance(32_000)
    await world.run(jobNames.settleTransactions)
    await passBlock(world)
    await world.run(jobNames.settleTransactions, jobNames.relayPayments)
    const sent = await world.rows<{ kind: string; state: string }>(
      `SELECT kind, state FROM own_transaction WHERE (sender, nonce) = (SELECT sender, nonce FROM own_transaction
        WHERE detail::text LIKE '%${signed.authorization.nonce}%') ORDER BY attempt`,
    )
    expect(sent).toEqual([
      { kind: 'relay', state: 'replaced' },
      { kind: 'fill', state: 'mined' },
    ])
    const expired = { state: 'failed', reason: 'authorization_expired' }
    expect((await world.relaysOf(late))[0]).toMatchObject(expired)
    expect(await arrived(late)).toBe(0n)
    expect(await world.submit(next, await signPermit(world, buyer, next))).toMatchObject({ kind: 'accepted' })
    await world.relayAndMine()
    expect(await world.statusOf(next)).toBe('paid')
  })
})
