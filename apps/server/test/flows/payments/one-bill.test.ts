import { encodeFunctionData, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { until } from '../../../src/platform/process/process.ts'
import { newWallet } from '../../support/asking/new-wallet.ts'
import { type GaslessBuyer, signAuthorization } from '../../support/chain/sign-authorization.ts'
import { perFile } from '../../support/per-file.ts'
import { encodePayment, startProgramWorld } from '../../support/worlds/program-world.ts'

/** How many pay one bill at once; `ONE_BILL=1000` is the number that is promised, and takes minutes. */
const payerCount = Number(process.env.ONE_BILL ?? 80)
const limitMs = 60_000 + payerCount * 1_000

const running = [jobNames.relayPayments, jobNames.scanTransfers, jobNames.settleTransactions]
const world = perFile(() => startProgramWorld({ blockTime: 1, slotsInAnEpoch: 1, running }))
const units = 25_000_000n
const ways = ['call', 'transfer', 'signature', 'x402'] as const
type Way = (typeof ways)[number]

test(
  `${payerCount} who pay one bill at once, by call, transfer, signature and x402, are one credit and cases`,
  async () => {
    await world.newReceipt('one-bill', 25)
    const attempt = await world.attempt('one-bill', 'USDC')
    expect(attempt.amount).toBe(`${units}`)
    const payers = Array.from({ length: payerCount }, (_, i) => ({ way: ways[i % 4] as Way, ...newWallet() }))
    const signers = payers.filter(({ way }) => way === 'signature' || way === 'x402')
    await mintTo(signers)
    const { required } = await world.ask(world.payUrl('one-bill'))
    const [accepted] = required.accepts

    const bySignature = async (payer: GaslessBuyer) => {
      const body = await sign(payer, attempt.depositAddress)
      const path = `/api/checkout/one-bill/signatures?recipient=${world.merchant.wallet}`
      return world.api.call('POST', path, { body: { attemptId: attempt.attemptId, ...body } })
    }
    const byProgram = async (payer: GaslessBuyer) => {
      const payload = await sign(payer, attempt.depositAddress)
      return world.ask(world.payUrl('one-bill'), encodePayment({ x402Version: 2, accepted, payload }))
    }
    const startedAt = performance.now()
    // The account that sends has one row of nonces: its transactions follow each other, and all else is at once.
    const onChain = payers.filter(({ way }) => way === 'call' || way === 'transfer')
    const sending = (async () => {
      for (const { way } of onChain) await world.pay(attempt, way as 'call' | 'transfer', units)
    })()
    const replies = await Promise.all(
      signers.map((payer) => (payer.way === 'signature' ? bySignature(payer) : byProgram(payer))),
    )
    await sending
    const tookMs = Math.round(performance.now() - startedAt)

    // Nobody meets a fault, and whose signature was not taken is told so.
    expect(replies.filter(({ status }) => status >= 500)).toEqual([])
    expect(await until(() => isAtRest(onChain.length), limitMs / 2)).toBe(true)
    const rows = await readPayments()
    const relayed = rows.filter(({ payer }) => signers.some(({ wallet }) => wallet === payer))
    expect(rows).toHaveLength(onChain.length + relayed.length)
    expect(relayed.length).toBeLessThanOrEqual(1)

    // One of them pays the bill; every other base unit is a case.
    expect(rows.filter(({ state }) => state === 'credited')).toHaveLength(1)
    expect(rows.filter(({ state }) => state === 'unmatched')).toHaveLength(rows.length - 1)
    expect(await world.payment('one-bill')).toMatchObject({
      status: 'paid',
      received: `${units}`,
      excess: '0',
    })
    expect((await world.notices('one-bill')).map(({ body }) => body.status)).toEqual(['paid'])
    const cases = await world.rows<{ sum: string }>(
      `SELECT coalesce(sum(amount), 0)::text AS sum FROM unmatched_payment WHERE receipt_id = 'one-bill'`,
    )
    const arrived = units * BigInt(rows.length)
    expect(BigInt(cases[0]?.sum ?? 0)).toBe(arrived - units)
    const usdc = world.tokenAddress('USDC')
    const held =
      (await world.balanceOf(usdc, attempt.depositAddress)) + (await world.balanceOf(usdc, attempt.payTo))
    expect(held).toBe(arrived)

    // Whoever's signature was not submitted still has the money.
    const relayedPayers = new Set(relayed.map(({ payer }) => payer))
    const kept = await Promise.all(signers.map(({ wallet }) => world.balanceOf(usdc, wallet)))
    expect(kept.filter((each) => each === 0n)).toHaveLength(relayedPayers.size)
    const told = Object.groupBy(replies, ({ status }) => String(status))
    const counts = Object.entries(told).map(([status, list]) => `${status}: ${list?.length}`)
    console.log(`one bill, ${payerCount} payers: sent in ${tookMs} ms; answers ${counts.join(', ')}`)
  },
  limitMs,
)

/** Each signer has the amount, and nothing for gas. */
async function mintTo(signers: readonly GaslessBuyer[]) {
  const to = world.tokenAddress('USDC')
  const abi = parseAbi(['function mint(address to, uint256 amount)'])
  for (const { wallet } of signers)
    await world.send({ to, data: encodeFunctionData({ abi, functionName: 'mint', args: [wallet, units] }) })
  const last = signers.at(-1)?.wallet ?? to
  expect(await until(async () => (await world.balanceOf(to, last)) === units, limitMs / 2)).toBe(true)
}

/** What a signer hands in, with its numbers as texts. */
async function sign(payer: GaslessBuyer, depositAddress: string) {
  const asked = { depositAddress, amount: units } as Parameters<typeof signAuthorization>[2]
  const { authorization, signature } = await signAuthorization(world.api, payer, asked)
  const texts = Object.entries(authorization).map(([name, value]) => [name, String(value)])
  return { authorization: Object.fromEntries(texts), signature }
}

function readPayments() {
  return world.rows<{ state: string; payer: string }>(
    `SELECT state, payer FROM payment WHERE receipt_id = 'one-bill'`,
  )
}

/** All that was sent is credited or a case, and no signature is under way. */
async function isAtRest(sent: number): Promise<boolean> {
  const [payments, relays] = await Promise.all([
    readPayments(),
    world.rows(`SELECT 1 FROM relayed_payment WHERE state IN ('waiting', 'sent')`),
  ])
  const isJudged = payments.every(({ state }) => state === 'credited' || state === 'unmatched')
  return payments.length >= sent && isJudged && relays.length === 0
}
