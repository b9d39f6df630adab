import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import type { Hex } from 'viem'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { approveData } from '../../support/chain/calls.ts'
import { always } from '../../support/chain/chain-api.ts'
import { farChain } from '../../support/chain/endpoints.ts'
import {
  type OwedMessage,
  type PaymentContext,
  type PayWay,
  startPayments,
} from '../../support/chain/payments.ts'
import type { SentTransaction } from '../../support/chain/test-chain.ts'
import { perFile } from '../../support/per-file.ts'
import { signStranger } from './stranger.ts'

const tokens: TokenSymbol[] = ['ETH', 'USDC']
const ways: PayWay[] = ['call', 'transfer']

/**
 * Effects of a reorg on a payment: it disappears until it is resent, moves to another block, or is replaced.
 */
const fates = ['drop', 'move', 'replace'] as const

describe.each([
  { required: 'safe' as const, slotsInAnEpoch: 3, depth: 3 },
  { required: 'final' as const, slotsInAnEpoch: 1, depth: 2 },
])('a payment that has to be $required, $depth blocks deep', ({ required, slotsInAnEpoch, depth }) => {
  const far = farChain()
  const policy = always(required)
  const context = perFile(() => startPayments({ slotsInAnEpoch, policy, outbound: far.over }))
  let count = 0
  const usual = new Map<string, unknown>()
  beforeAll(async () => {
    await approveUsdc(context)
    for (const token of tokens) {
      for (const way of ways) {
        const id = `usual-${token}-${way}`
        const sent = await context.pay(await newAttempt(id, token), way)
        await context.mine()
        await finish(id)
        usual.set(`${token} ${way}`, plain(await context.messages(id), sent))
      }
    }
  })
  beforeEach(() => context.syncClock())

  const cases = tokens.flatMap((token) =>
    ways.flatMap((way) =>
      fates.flatMap((fate) =>
        Array.from({ length: depth }, (_, above) => ({ token, way, fate, reorged: above + 1 })),
      ),
    ),
  )
  test.each(cases)('$token by $way, $fate in $reorged blocks, has no outward effect', async (the) => {
    const { token, way, fate, reorged } = the
    // Only one case per token, way and fate uses the slow chain, since all sixty would take minutes.
    far.isFar = reorged === depth
    const id = `receipt-${++count}`
    const attempt = await newAttempt(id, token)
    const first = await context.pay(attempt, way)
    await context.mineAndScan(reorged)
    expect(await context.payment(id)).toMatchObject({ status: 'pending', state: 'seen' })

    const offset = reorged > 1 ? reorged - 1 : 0
    await context.reorg(reorged, fate === 'move' ? [{ raw: first.raw, offset }] : [])
    const expected = fate === 'move' ? 'seen' : 'awaiting'
    expect(await context.payment(id)).toMatchObject({ status: 'pending', state: expected })
    expect(await context.messages(id)).toEqual([])

    const sent = fate === 'replace' ? await replace(attempt, way) : first
    if (fate === 'drop') await context.resend(first)
    if (fate !== 'move') await context.mine()
    await finish(id)
    expect(plain(await context.messages(id), sent)).toEqual(usual.get(`${token} ${way}`))
    expect(context.alerts()).toEqual([])
  })

  const newAttempt = (id: string, token: TokenSymbol) => context.open(id, 25, token, context.buyer.address)

  async function replace(attempt: Awaited<ReturnType<typeof newAttempt>>, way: PayWay) {
    await context.send({ to: context.buyer.address, value: 1n })
    return context.pay(attempt, way)
  }

  async function finish(id: string) {
    for (let block = 0; block <= depth; block++) {
      await context.scan()
      expect(await context.status(id)).toBe(block < depth ? 'pending' : 'paid')
      await context.mine()
    }
  }
})

describe('deeper than required', () => {
  const far = farChain()
  const context = perFile(() => startPayments({ policy: always('safe'), outbound: far.over }))
  beforeAll(async () => {
    await approveUsdc(context)
    far.isFar = true
  })
  beforeEach(() => context.syncClock())

  test.each(
    tokens.flatMap((token) => ways.flatMap((way) => [0, 1].map((extra) => ({ token, way, extra })))),
  )('$token by $way, $extra below it: told, alerted, and never a step back', async (the) => {
    const { token, way, extra } = the
    const id = `deep-${token}-${way}-${extra}`
    const sent = await context.pay(await context.open(id, 25, token, context.buyer.address), way)
    await context.mineAndScan(3 + extra)
    expect(await context.status(id)).toBe('paid')
    context.logged.length = 0

    const stood = (await context.chain.client.getTransactionReceipt({ hash: sent.hash })).blockHash
    await context.reorg(3 + extra)
    expect(await context.payment(id)).toMatchObject({ status: 'paid', state: 'orphaned' })
    const [paid, orphaned, ...more] = await context.messages(id)
    expect(more).toEqual([])
    expect(orphaned?.key).toBe(`${paid?.key}:orphaned:${stood}`)
    const loss = { status: 'paid', previousStatus: 'paid', paymentState: 'orphaned', transactionHash: null }
    expect(orphaned?.body).toMatchObject(loss)
    expect(context.alerts()).toEqual(['payment-orphaned'])

    await context.resend(sent)
    await context.mineAndScan()
    expect(await context.payment(id)).toMatchObject({
      status: 'paid',
      state: 'paid',
      transactionHash: sent.hash,
    })
    const restored = (await context.messages(id)).slice(2)
    const states = restored.map(({ body }) => [body.paymentState, body.transactionHash])
    expect(states).toEqual([['paid', sent.hash]])
    expect(await claims(context, sent.hash)).toBe(1)
  })

  test('a payment moved with others of its block is credited once', async () => {
    const ids = ['moved-1', 'moved-2', 'moved-3']
    const sent: SentTransaction[] = []
    for (const id of ids) sent.push(await context.pay(await context.open(id, 25, 'USDC'), 'transfer'))
    await context.mineAndScan(3)
    for (const id of ids) expect(await context.status(id)).toBe('paid')
    const before = await logIndexes(context, sent)
    await context.reorg(3)
    // A third party's log comes first in the new block, so that every log index shifts.
    await context.chain.client.sendRawTransaction({ serializedTransaction: await signStranger(context) })
    for (const each of sent) await context.resend(each)
    await context.mineAndScan()
    expect(await logIndexes(context, sent)).toEqual(before.map((index) => index + 1n))
    for (const [i, id] of ids.entries()) {
      expect(await context.payment(id)).toMatchObject({ status: 'paid', state: 'paid' })
      expect(await claims(context, sent[i]?.hash ?? '0x')).toBe(1)
    }
  })

  test('a chain that lost blocks, final ones too, is read anew', async () => {
    const id = 'lost'
    await context.pay(await context.open(id, 25, 'ETH'), 'transfer')
    await context.mineAndScan(8)
    expect(await context.status(id)).toBe('paid')
    await context.chain.client.request({ method: 'anvil_rollback', params: [8] } as never)
    await context.scan()
    await context.mineAndScan(2)
    expect(await context.payment(id)).toMatchObject({ status: 'paid', state: 'orphaned' })
    const next = 'after-loss'
    await context.pay(await context.open(next, 25, 'ETH'), 'transfer')
    await context.mineAndScan(3)
    expect(await context.status(next)).toBe('paid')
  })
})

async function approveUsdc(context: PaymentContext) {
  const { payTo } = await context.open('approve', 25, 'USDC')
  await context.send({ to: context.tokenAddress('USDC'), data: approveData(payTo) })
  await context.mineAndScan(8)
}

function plain(messages: readonly OwedMessage[], sent: SentTransaction) {
  return messages.map(({ key, sequence, body }) => {
    const { timestamp, receiptId, idempotencyKey, ...rest } = body
    const same = (text: string) => text.replace(receiptId, 'receipt').replace(sent.hash, 'hash')
    expect(idempotencyKey).toBe(key)
    expect(timestamp).toBeTypeOf('number')
    return { ...rest, key: same(key), transactionHash: same(rest.transactionHash), rowSequence: sequence }
  })
}

async function claims(context: PaymentContext, hash: Hex): Promise<number> {
  return (await context.rows('SELECT 1 AS one FROM log_claim WHERE tx_hash = $1', [hash])).length
}

async function logIndexes(context: PaymentContext, sent: readonly SentTransaction[]): Promise<bigint[]> {
  const rows = await context.rows<{ index: bigint }>(
    'SELECT log_index AS index FROM payment WHERE merchant = $1 AND tx_hash = ANY($2) ORDER BY log_index',
    [context.merchant.wallet, sent.map(({ hash }) => hash)],
  )
  return rows.map(({ index }) => index)
}
