import { testUSDTAbi } from '@sluice/contracts/abi/TestUSDT.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { anvilClient } from '../../../src/local/anvil.ts'
import { permit2Address } from '../../../src/payments/relaying/permit2.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { until } from '../../../src/platform/process/process.ts'
import type { ApiResponse } from '../../support/api/call-api.ts'
import { makePaperProvider, type PaperEvent } from '../../support/api/onramp.ts'
import { newWallet } from '../../support/api/sessions.ts'
import { encodePayment, startPrograms } from '../../support/chain/programs.ts'
import {
  type GaslessBuyer,
  signAuthorization,
  signPermit2,
  textsOfPermit2,
} from '../../support/chain/signatures.ts'
import { perFile } from '../../support/per-file.ts'

/**
 * Number of concurrent payers of one bill. `ONE_BILL=1000` tests the guaranteed number, which takes minutes.
 */
const payerCount = Number(process.env.ONE_BILL ?? 80)
const limitMs = 600_000 + payerCount * 1_000

const running = [jobNames.relayPayments, jobNames.scanTransfers, jobNames.settleTransactions]
const provider = makePaperProvider(() => context.needs.clock.now())
const onramp = [provider]
const context = perFile(() => startPrograms({ blockTime: 1, slotsInAnEpoch: 1, running, onramp }))
const units = 25_000_000n
let retryCount = 0
const eventPath = '/api/onramp/events/paper'
const ways = ['call', 'transfer', 'signature', 'x402', 'card', 'permit2'] as const
type Way = (typeof ways)[number]

const bills = [
  { id: 'card-first', isCardLate: false },
  { id: 'card-late', isCardLate: true },
]

test.each(bills)(
  `${payerCount} who pay one bill at once, by call, transfer, signature, x402, card and Permit2, are one credit and cases: $id`,
  async ({ id, isCardLate }) => {
    await context.newReceipt(id, 25)
    const attempt = await context.attempt(id, 'USDC')
    expect(attempt.amount).toBe(`${units}`)
    const payers = Array.from({ length: payerCount }, (_, i) => ({
      way: ways[i % ways.length] as Way,
      ...newWallet(),
    }))
    const signers = payers.filter(({ way }) => way === 'signature' || way === 'x402')
    const usdt = context.tokenAddress('USDT')
    const approvers = payers.filter(({ way }) => way === 'permit2')
    await mintTo(signers, context.tokenAddress('USDC'))
    await mintTo(approvers, usdt)
    await approvePermit2(approvers)
    const inUsdt = await context.attempt(id, 'USDT')
    expect(inUsdt.amount).toBe(`${units}`)
    const usdc = context.tokenAddress('USDC')
    const heldBefore = await context.balanceOf(usdc, attempt.payTo)
    const { required } = await context.ask(context.payUrl(id))
    const [accepted] = required.accepts

    const bySignature = async (payer: GaslessBuyer) => {
      const body = await sign(payer, attempt.depositAddress)
      const path = `/api/checkout/${id}/signatures?recipient=${context.merchant.wallet}`
      return context.api.call('POST', path, { body: { attemptId: attempt.attemptId, ...body } })
    }
    const byProgram = async (payer: GaslessBuyer) => {
      const payload = await sign(payer, attempt.depositAddress)
      return context.ask(context.payUrl(id), encodePayment({ x402Version: 2, accepted, payload }))
    }
    const throughPermit2 = async (payer: GaslessBuyer) => {
      const asked = { depositAddress: inUsdt.depositAddress, amount: units } as Parameters<
        typeof signPermit2
      >[2]
      const { message, signature } = await signPermit2(context.api, payer, asked)
      const authorization = textsOfPermit2(message)
      const body = { attemptId: inUsdt.attemptId, authorization, payer: payer.wallet, signature }
      const path = `/api/checkout/${id}/signatures?recipient=${context.merchant.wallet}`
      return context.api.call('POST', path, { body })
    }
    const startedAt = performance.now()
    // One account sends these transactions in sequence, because of its nonces. All other payments are
    // concurrent.
    const onChain = payers.filter(({ way }) => way === 'call' || way === 'transfer')
    const sending = (async () => {
      for (const { way } of onChain) await context.pay(attempt, way as 'call' | 'transfer', units)
    })()
    const signing = signers.map((payer) =>
      persist<{ status: number }>(() => (payer.way === 'signature' ? bySignature(payer) : byProgram(payer))),
    )
    const approving = approvers.map((payer) => persist<{ status: number }>(() => throughPermit2(payer)))
    const isTaken = isCardLate ? Promise.race(signing) : Promise.resolve()
    const card = cardOf(id, isTaken)
    const paying = payers.filter(({ way }) => way === 'card').map(() => persist<{ status: number }>(card.pay))
    const replies = await Promise.all([...signing, ...approving, ...paying])
    await sending
    const delivered = await card.deliver()
    const tookMs = Math.round(performance.now() - startedAt)

    const sentCount = onChain.length + (delivered ? 1 : 0)
    expect(replies.filter(({ status }) => status >= 500)).toEqual([])
    expect(await until(() => isAtRest(id, sentCount), limitMs / 2)).toBe(true)
    const rows = await readPayments(id)
    const relayed = rows.filter(({ payer }) =>
      [...signers, ...approvers].some(({ wallet }) => wallet === payer),
    )
    expect(rows).toHaveLength(sentCount + relayed.length)
    expect(relayed.length).toBeLessThanOrEqual(1)

    expect(rows.filter(({ state }) => state === 'credited')).toHaveLength(1)
    expect(rows.filter(({ state }) => state === 'unmatched')).toHaveLength(rows.length - 1)
    expect(await context.payment(id)).toMatchObject({
      status: 'paid',
      received: `${units}`,
      excess: '0',
    })
    expect((await context.messages(id)).map(({ body }) => body.status)).toEqual(['paid'])
    const cases = await context.rows<{ sum: string }>(
      `SELECT coalesce(sum(amount), 0)::text AS sum FROM unmatched_payment WHERE receipt_id = $1`,
      [id],
    )
    const arrived = units * BigInt(rows.length)
    expect(BigInt(cases[0]?.sum ?? 0)).toBe(arrived - units)
    const places = [attempt.depositAddress, attempt.payTo, ...(delivered ? [delivered] : [])]
    const held = await Promise.all(places.map((place) => context.balanceOf(usdc, place as Wallet)))
    held.push(await context.balanceOf(usdt, inUsdt.depositAddress as Wallet))
    expect(held.reduce((sum, each) => sum + each, 0n)).toBe(heldBefore + arrived)

    const relayedPayers = new Set(relayed.map(({ payer }) => payer))
    const kept = await Promise.all([
      ...signers.map(({ wallet }) => context.balanceOf(usdc, wallet)),
      ...approvers.map(({ wallet }) => context.balanceOf(usdt, wallet)),
    ])
    expect(kept.filter((each) => each === 0n)).toHaveLength(relayedPayers.size)
    const reported = Object.groupBy(replies, ({ status }) => String(status))
    const counts = Object.entries(reported).map(([status, list]) => `${status}: ${list?.length}`)
    const took = `answered in ${tookMs} ms, ${retryCount} asked again after 503`
    console.log(`${id}, ${payerCount} payers: ${took}; answers ${counts.join(', ')}`)
  },
  limitMs,
)

function cardOf(id: string, isTaken: Promise<unknown>) {
  let taken: { readonly sessionId: string; readonly event: PaperEvent } | undefined
  return {
    async pay(): Promise<ApiResponse> {
      const path = `/api/checkout/${id}/onramp?recipient=${context.merchant.wallet}`
      const opened = await context.api.call('POST', path)
      if (opened.status !== 201) return opened
      const sessionId: string = opened.body.providerSessionId
      await isTaken
      taken ??= { sessionId, event: provider.happen(sessionId, { kind: 'accepted' }) }
      expect(sessionId).toBe(taken.sessionId)
      return context.api.call('POST', eventPath, taken.event)
    },
    async deliver(): Promise<Wallet | undefined> {
      const order = taken && provider.orders.get(taken.sessionId)
      if (!taken || !order) return undefined
      await context.transfer(context.tokenAddress('USDC'), order.depositAddress, order.amount.units)
      const settled = provider.happen(taken.sessionId, { kind: 'settled' })
      const responses = await Promise.all([1, 2, 3].map(() => context.api.call('POST', eventPath, settled)))
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
      return order.depositAddress
    },
  }
}

async function persist<T extends { readonly status: number }>(ask: () => Promise<T>): Promise<T> {
  let reply = await ask()
  const isAnswered = async () => {
    if (reply.status !== 503) return true
    retryCount++
    reply = await ask()
    return reply.status !== 503
  }
  await until(isAnswered, limitMs / 2)
  return reply
}

async function mintTo(signers: readonly GaslessBuyer[], to: Wallet) {
  const abi = parseAbi(['function mint(address to, uint256 amount)'])
  for (const { wallet } of signers)
    await context.send({ to, data: encodeFunctionData({ abi, functionName: 'mint', args: [wallet, units] }) })
  const last = signers.at(-1)?.wallet ?? to
  expect(await until(async () => (await context.balanceOf(to, last)) === units, limitMs / 2)).toBe(true)
}

async function approvePermit2(payers: readonly GaslessBuyer[]) {
  const client = anvilClient(context.chain.rpcUrl)
  const to = context.tokenAddress('USDT')
  const args = [permit2Address, 2n ** 256n - 1n] as const
  const data = encodeFunctionData({ abi: testUSDTAbi, functionName: 'approve', args })
  const hashes: Hex[] = []
  for (const { wallet } of payers) {
    await client.setBalance({ address: wallet, value: 10n ** 18n })
    await client.impersonateAccount({ address: wallet })
    hashes.push(await client.sendUnsignedTransaction({ from: wallet, to, data, gas: 100_000n }))
  }
  for (const hash of hashes) await client.waitForTransactionReceipt({ hash })
  for (const { wallet } of payers) await client.setBalance({ address: wallet, value: 0n })
}

async function sign(payer: GaslessBuyer, depositAddress: string) {
  const asked = { depositAddress, amount: units } as Parameters<typeof signAuthorization>[2]
  const { authorization, signature } = await signAuthorization(context.api, payer, asked)
  const texts = Object.entries(authorization).map(([name, value]) => [name, String(value)])
  return { authorization: Object.fromEntries(texts), signature }
}

function readPayments(id: string) {
  return context.rows<{ state: string; payer: string }>(
    `SELECT state, payer FROM payment WHERE receipt_id = $1`,
    [id],
  )
}

async function isAtRest(id: string, sent: number): Promise<boolean> {
  const [payments, relays] = await Promise.all([
    readPayments(id),
    context.rows(`SELECT 1 FROM relayed_payment WHERE state IN ('waiting', 'sent')`),
  ])
  const isEvaluated = payments.every(({ state }) => state === 'credited' || state === 'unmatched')
  return payments.length >= sent && isEvaluated && relays.length === 0
}
