import { permit2Abi } from '@sluice/contracts/abi/Permit2.ts'
import { pullFactoryAbi } from '@sluice/contracts/abi/PullFactory.ts'
import { testUSDTAbi } from '@sluice/contracts/abi/TestUSDT.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { permit2Address, permit2Nonce } from '../../../src/payments/relaying/permit2.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { sendFirst } from '../../support/chain/calls.ts'
import { passBlock } from '../../support/chain/keeper.ts'
import { startRelaying } from '../../support/chain/relaying.ts'
import { actAs, approvePermit2, fundPermit2Buyer, signPermit2 } from '../../support/chain/signatures.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startRelaying)

type Signed = Awaited<ReturnType<typeof signPermit2>>

const USDT = () => context.tokenAddress('USDT')
const open = () => context.open('USDT')
const arrived = ({ depositAddress }: { depositAddress: Wallet }) => context.balanceOf(USDT(), depositAddress)
function cancel({ pull, payer }: Signed): Promise<Hex> {
  const nonce = permit2Nonce(pull)
  const args = [nonce >> 8n, 1n << (nonce & 0xffn)] as const
  const data = encodeFunctionData({ abi: permit2Abi, functionName: 'invalidateUnorderedNonces', args })
  return actAs(context, payer, { to: permit2Address, data })
}

describe('the nonce of a payment', () => {
  test('is the one that the factory asks for', async () => {
    const attempt = await open()
    const args = [attempt.depositAddress, USDT(), attempt.amount] as const
    const said = await context.node.client.readContract({
      address: context.needs.chain.pullFactory as Wallet,
      abi: pullFactoryAbi,
      functionName: 'permit2Nonce',
      args,
    })
    const { depositAddress, amount } = attempt
    expect(permit2Nonce({ depositAddress, tokenAddress: USDT(), amount })).toBe(said)
  })
})

describe('a payment through Permit2', () => {
  test('is one of several of a wallet under way: they wait for nothing of each other', async () => {
    const buyer = await fundPermit2Buyer(context)
    const attempts = [await open(), await open()] as const
    for (const attempt of attempts)
      expect(await context.submit(attempt, await signPermit2(context, buyer, attempt))).toMatchObject({
        kind: 'accepted',
      })
    await context.relayAndMine()
    for (const attempt of attempts) expect(await context.statusOf(attempt)).toBe('paid')
  })

  test('by a hardware wallet, which counts from 0, pays', async () => {
    const attempt = await open()
    const signed = await signPermit2(context, await fundPermit2Buyer(context), attempt)
    const last = signed.signature.endsWith('1b') ? '00' : '01'
    const signature = `${signed.signature.slice(0, -2)}${last}` as Hex
    expect(await context.submit(attempt, { ...signed, signature })).toMatchObject({ kind: 'accepted' })
    await context.relayAndMine()
    expect(await context.statusOf(attempt)).toBe('paid')
  })

  test('whose approval its payer takes back fails and is never sent', async () => {
    const buyer = await fundPermit2Buyer(context)
    const attempt = await open()
    const signed = await signPermit2(context, buyer, attempt)
    await context.submit(attempt, signed)
    await approvePermit2(context, buyer.wallet, 0n)
    await context.run(jobNames.relayPayments)
    expect((await context.relaysOf(attempt))[0]).toMatchObject({ state: 'failed', reason: 'not_approved' })
    expect(await context.countSent('relay', signed.authorization.nonce)).toBe(0)
  })

  test('whose nonce its payer takes back fails and is never sent', async () => {
    const buyer = await fundPermit2Buyer(context)
    const attempt = await open()
    const signed = await signPermit2(context, buyer, attempt)
    await context.submit(attempt, signed)
    await cancel(signed)
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
    const buyer = await fundPermit2Buyer(context)
    const attempt = await open()
    await context.submit(attempt, await signPermit2(context, buyer, attempt))
    await context.run(jobNames.relayPayments)
    const args = [buyer.wallet, true] as const
    const to = USDT()
    await sendFirst(context, {
      to,
      data: encodeFunctionData({ abi: testUSDTAbi, functionName: 'setBlocked', args }),
    })
    await passBlock(context)
    await context.run(jobNames.relayPayments)
    expect((await context.relaysOf(attempt))[0]).toMatchObject({ state: 'failed', reason: 'reverted' })
    const next = await open()
    const refused = await context.submit(next, await signPermit2(context, buyer, next))
    expect(refused).toEqual({ kind: 'refused', reason: 'payer_blocked' })
  })

  test('that no block takes before its deadline is given up, and the same bill is signed for again', async () => {
    const buyer = await fundPermit2Buyer(context)
    const attempt = await open()
    const deadline = BigInt(Math.floor(context.needs.chain.time.now() / 1000)) + 30n
    const signed = await signPermit2(context, buyer, attempt, { deadline })
    expect(await context.submit(attempt, signed)).toMatchObject({ kind: 'accepted' })
    await context.run(jobNames.relayPayments)
    await context.node.passTime(32)
    await context.clock.advance(32_000)
    await context.run(jobNames.settleTransactions)
    await passBlock(context)
    await context.run(jobNames.settleTransactions, jobNames.relayPayments)
    const expired = { state: 'failed', reason: 'authorization_expired' }
    expect((await context.relaysOf(attempt))[0]).toMatchObject(expired)
    expect(await arrived(attempt)).toBe(0n)
    const again = await signPermit2(context, buyer, attempt)
    expect(again.message.nonce).toBe(signed.message.nonce)
    expect(await context.submit(attempt, again)).toMatchObject({ kind: 'accepted' })
    await context.relayAndMine()
    expect(await context.statusOf(attempt)).toBe('paid')
    expect(await arrived(attempt)).toBe(attempt.amount)
  })
})
