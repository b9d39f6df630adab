import { permit2Abi } from '@sluice/contracts/abi/Permit2.ts'
import { pullFactoryAbi } from '@sluice/contracts/abi/PullFactory.ts'
import { testUSDTAbi } from '@sluice/contracts/abi/TestUSDT.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { permit2Address, permit2Call, permit2Nonce } from '../../../src/payments/relaying/permit2.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { passBlock } from '../../support/chain/keeper-jobs.ts'
import { payAttempt } from '../../support/chain/pay-attempt.ts'
import { sendFirst } from '../../support/chain/send-first.ts'
import { actAs, approvePermit2, fundPermit2Buyer, signPermit2 } from '../../support/chain/sign-permit2.ts'
import { perFile } from '../../support/per-file.ts'
import { startRelayWorld } from '../../support/worlds/relay-world.ts'

const world = perFile(startRelayWorld)

type Signed = Awaited<ReturnType<typeof signPermit2>>

const USDT = () => world.tokenAddress('USDT')
const pullFactory = () => world.needs.chain.pullFactory as Wallet
const open = () => world.open('USDT')
const arrived = ({ depositAddress }: { depositAddress: Wallet }) => world.balanceOf(USDT(), depositAddress)
const submission = ({ pull, payer, signature }: Signed) => ({
  to: pullFactory(),
  data: permit2Call(pull, payer, signature),
})
/** The payer takes the nonce of a payment back. */
function cancel({ pull, payer }: Signed): Promise<Hex> {
  const nonce = permit2Nonce(pull)
  const args = [nonce >> 8n, 1n << (nonce & 0xffn)] as const
  const data = encodeFunctionData({ abi: permit2Abi, functionName: 'invalidateUnorderedNonces', args })
  return actAs(world, payer, { to: permit2Address, data })
}

describe('the nonce of a payment', () => {
  test('is the one that the factory asks for', async () => {
    const attempt = await open()
    const args = [attempt.depositAddress, USDT(), attempt.amount] as const
    const said = await world.node.client.readContract({
      address: pullFactory(),
      abi: pullFactoryAbi,
      functionName: 'permit2Nonce',
      args,
    })
    const { depositAddress, amount } = attempt
    expect(permit2Nonce({ depositAddress, tokenAddress: USDT(), amount })).toBe(said)
  })
})

describe('a payment through Permit2', () => {
  test('pays the receipt of a buyer who holds no ETH, and takes no more than that', async () => {
    const buyer = await fundPermit2Buyer(world)
    const attempt = await open()
    const before = await world.balanceOf(USDT(), buyer.wallet)
    const signed = await signPermit2(world, buyer, attempt)
    expect(await world.submit(attempt, signed)).toMatchObject({ kind: 'accepted', isNew: true })
    expect(await world.submit(attempt, signed)).toMatchObject({ kind: 'accepted', isNew: false })
    await world.relayAndMine()
    expect(await world.statusOf(attempt)).toBe('paid')
    const [relay] = await world.relaysOf(attempt)
    expect(relay).toMatchObject({ state: 'mined', way: 'permit2', txHash: expect.stringMatching(/^0x/) })
    expect(await arrived(attempt)).toBe(attempt.amount)
    expect(await world.balanceOf(USDT(), buyer.wallet)).toBe(before - attempt.amount)
    expect(await world.balanceOf(nativeAddress, buyer.wallet)).toBe(0n)
    expect(await world.countSent('relay', signed.authorization.nonce)).toBe(1)
    expect(await world.submit(attempt, signed)).toMatchObject({ kind: 'refused' })
  })

  test('is settled for good once its block is final', async () => {
    const attempt = await open()
    await world.submit(attempt, await signPermit2(world, await fundPermit2Buyer(world), attempt))
    await world.relayAndMine()
    for (let block = 0; block < 3; block++) await passBlock(world)
    await world.run(jobNames.scanTransfers, jobNames.relayPayments)
    expect((await world.relaysOf(attempt))[0]?.settledAt).toBeDefined()
  })

  test('handed in four times at the same moment is one payment', async () => {
    const attempt = await open()
    const signed = await signPermit2(world, await fundPermit2Buyer(world), attempt)
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => world.submit(attempt, signed)))
    expect(outcomes.every(({ kind }) => kind === 'accepted')).toBe(true)
    expect(outcomes.filter((each) => each.kind === 'accepted' && each.isNew)).toHaveLength(1)
    await world.relayAndMine()
    expect(await arrived(attempt)).toBe(attempt.amount)
  })

  test('is one of several of a wallet under way: they wait for nothing of each other', async () => {
    const buyer = await fundPermit2Buyer(world)
    const attempts = [await open(), await open()] as const
    for (const attempt of attempts)
      expect(await world.submit(attempt, await signPermit2(world, buyer, attempt))).toMatchObject({
        kind: 'accepted',
      })
    await world.relayAndMine()
    for (const attempt of attempts) expect(await world.statusOf(attempt)).toBe('paid')
  })

  test('by a hardware wallet, which counts from 0, pays', async () => {
    const attempt = await open()
    const signed = await signPermit2(world, await fundPermit2Buyer(world), attempt)
    const last = signed.signature.endsWith('1b') ? '00' : '01'
    const signature = `${signed.signature.slice(0, -2)}${last}` as Hex
    expect(await world.submit(attempt, { ...signed, signature })).toMatchObject({ kind: 'accepted' })
    await world.relayAndMine()
    expect(await world.statusOf(attempt)).toBe('paid')
  })

  test('that a stranger submits first is credited once, and our row says by what', async () => {
    const attempt = await open()
    const signed = await signPermit2(world, await fundPermit2Buyer(world), attempt)
    await world.submit(attempt, signed)
    const { hash } = await world.send(submission(signed))
    await world.run(jobNames.relayPayments) // sent beside the stranger's, and reverts
    await passBlock(world)
    await world.run(jobNames.relayPayments, jobNames.scanTransfers)
    expect(await world.statusOf(attempt)).toBe('paid')
    expect((await world.relaysOf(attempt))[0]).toMatchObject({ state: 'mined', txHash: hash })
    expect(await arrived(attempt)).toBe(attempt.amount)
  })

  test('is never sent once its receipt was paid otherwise', async () => {
    const attempt = await open()
    const signed = await signPermit2(world, await fundPermit2Buyer(world), attempt)
    await world.submit(attempt, signed)
    await payAttempt(world, attempt, 'deposit')
    await world.run(jobNames.scanTransfers)
    await world.relayAndMine()
    expect((await world.relaysOf(attempt))[0]).toMatchObject({ state: 'failed', reason: 'already_paid' })
    expect(await world.countSent('relay', signed.authorization.nonce)).toBe(0)
    expect(await arrived(attempt)).toBe(attempt.amount)
  })

  test('that meets the payer’s own payment in one block pays, and the other is the excess', async () => {
    const attempt = await open()
    const signed = await signPermit2(world, await fundPermit2Buyer(world), attempt)
    await world.submit(attempt, signed)
    await world.run(jobNames.relayPayments)
    await payAttempt(world, attempt, 'deposit')
    await world.relayAndMine()
    expect(await world.statusOf(attempt)).toBe('paid')
    expect((await world.relaysOf(attempt))[0]).toMatchObject({ state: 'mined' })
    expect(await arrived(attempt)).toBe(2n * attempt.amount)
    const states = await world.rows<{ state: string }>(
      `SELECT state FROM payment WHERE receipt_id = '${attempt.receiptId}' ORDER BY state`,
    )
    expect(states).toEqual([{ state: 'credited' }, { state: 'unmatched' }])
  })

  test('whose approval its payer takes back fails and is never sent', async () => {
    const buyer = await fundPermit2Buyer(world)
    const attempt = await open()
    const signed = await signPermit2(world, buyer, attempt)
    await world.submit(attempt, signed)
    await approvePermit2(world, buyer.wallet, 0n)
    await world.run(jobNames.relayPayments)
    expect((await world.relaysOf(attempt))[0]).toMatchObject({ state: 'failed', reason: 'not_approved' })
    expect(await world.countSent('relay', signed.authorization.nonce)).toBe(0)
  })

  test('whose nonce its payer takes back fails and is never sent', async () => {
    const buyer = await fundPermit2Buyer(world)
    const attempt = await open()
    const signed = await signPermit2(world, buyer, attempt)
    await world.submit(attempt, signed)
    await cancel(signed)
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
    const buyer = await fundPermit2Buyer(world)
    const attempt = await open()
    await world.submit(attempt, await signPermit2(world, buyer, attempt))
    await world.run(jobNames.relayPayments)
    const args = [buyer.wallet, true] as const
    const to = USDT()
    await sendFirst(world, {
      to,
      data: encodeFunctionData({ abi: testUSDTAbi, functionName: 'setBlocked', args }),
    })
    await passBlock(world)
    await world.run(jobNames.relayPayments)
    expect((await world.relaysOf(attempt))[0]).toMatchObject({ state: 'failed', reason: 'reverted' })
    const next = await open()
    const refused = await world.submit(next, await signPermit2(world, buyer, next))
    expect(refused).toEqual({ kind: 'refused', reason: 'payer_blocked' })
  })

  test('that no block takes before its deadline is given up, and the same bill is signed for again', async () => {
    const buyer = await fundPermit2Buyer(world)
    const attempt = await open()
    const deadline = BigInt(Math.floor(world.needs.chain.time.now() / 1000)) + 30n
    const signed = await signPermit2(world, buyer, attempt, { deadline })
    expect(await world.submit(attempt, signed)).toMatchObject({ kind: 'accepted' })
    await world.run(jobNames.relayPayments)
    await world.node.client.increaseTime({ seconds: 32 })
    await world.clock.advance(32_000)
    await world.run(jobNames.settleTransactions)
    await passBlock(world)
    await world.run(jobNames.settleTransactions, jobNames.relayPayments)
    const expired = { state: 'failed', reason: 'authorization_expired' }
    expect((await world.relaysOf(attempt))[0]).toMatchObject(expired)
    expect(await arrived(attempt)).toBe(0n)
    const again = await signPermit2(world, buyer, attempt)
    expect(again.message.nonce).toBe(signed.message.nonce)
    expect(await world.submit(attempt, again)).toMatchObject({ kind: 'accepted' })
    await world.relayAndMine()
    expect(await world.statusOf(attempt)).toBe('paid')
    expect(await arrived(attempt)).toBe(attempt.amount)
  })

  test('that a reorg takes back is sent again and pays once', async () => {
    const attempt = await open()
    await world.submit(attempt, await signPermit2(world, await fundPermit2Buyer(world), attempt))
    await world.run(jobNames.relayPayments)
    await passBlock(world)
    await world.run(jobNames.relayPayments)
    expect((await world.relaysOf(attempt))[0]?.state).toBe('mined')
    await world.node.reorg(1)
    await passBlock(world)
    await world.run(jobNames.settleTransactions)
    for (let block = 0; block < 3; block++) await passBlock(world)
    await world.run(jobNames.scanTransfers, jobNames.relayPayments)
    expect((await world.relaysOf(attempt))[0]).toMatchObject({ state: 'mined' })
    expect(await world.statusOf(attempt)).toBe('paid')
    expect(await arrived(attempt)).toBe(attempt.amount)
  })
})
