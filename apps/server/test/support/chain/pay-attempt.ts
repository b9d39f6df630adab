import { randomUUID } from 'node:crypto'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { assert } from '../../../src/kernel/assert.ts'
import { ensureMerchant } from '../../../src/merchants/ensure-merchant.ts'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { listAttempts } from '../../../src/payments/attempts/store.ts'
import { openAttempt } from '../../../src/payments/checkout/open-attempt.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { createReceipt } from '../../../src/receipts/making/create-receipt.ts'
import { parseCreateReceipt } from '../../../src/receipts/making/parse-create.ts'
import { configureSplit, type RecipientInput } from '../../../src/split/setup/configure-split.ts'
import type { Split } from '../../../src/split/split.ts'
import { type ChainApi, payData, randomWallet } from '../worlds/chain-api.ts'
import { approveData } from './call-data.ts'

/** The ways a buyer can pay. */
export type WayToPay = 'call' | 'deposit'

const site = { baseUrl: 'https://pay.example.com', chainId: 31337, isProduction: false }

/** A merchant of its own whose split stands on the chain. */
export async function deploySplit(bench: ChainApi, recipients?: readonly RecipientInput[]): Promise<Split> {
  const merchant = randomWallet()
  await ensureMerchant(bench.needs, merchant, 'Test Shop')
  const needs = { ...bench.needs, platform: bench.platform }
  const { split } = await configureSplit(needs, merchant, { recipients })
  await bench.run(jobNames.deploySplits)
  await bench.node.mine()
  await bench.run(jobNames.deploySplits)
  return split
}

/** A receipt over ten dollars with an open attempt in `token`. */
export async function openTestAttempt(bench: ChainApi, merchant: Wallet, token: TokenSymbol) {
  const { needs } = bench
  const lineItems = [{ label: 'Coffee', priceUsd: 10 }]
  const request = parseCreateReceipt({ id: `order-${randomUUID()}`, lineItems, totalUsd: 10 }, site)
  const key = { keyId: 'key', sealedKey: 'sealed' }
  const receiving = { ...needs, deadlines: needs.chain.time }
  const receipt = await createReceipt(receiving, merchant, key, request)
  const offer = { rates: needs.rates, minCents: 1n, maxCents: 10_000_000n }
  await agreeOnTime(bench)
  await openAttempt({ ...needs, offer }, receipt, { token }, 'buyer')
  const attempt = (await listAttempts(needs.db, merchant, receipt.id)).at(-1)
  assert(attempt, 'an attempt was opened')
  return attempt
}

/** A machine whose clock differs from its chain's makes no offers: who is behind is set to the other. */
async function agreeOnTime({ clock, node, needs }: ChainApi): Promise<void> {
  const chainAt = Number((await node.client.getBlock()).timestamp) * 1000
  if (clock.now() < chainAt) clock.jumpTo(chainAt)
  if (!needs.chain.time.isOff) return
  await node.client.setNextBlockTimestamp({ timestamp: BigInt(Math.ceil(clock.now() / 1000)) })
  await node.mine()
  await needs.chain.readHead()
}

/** Pays an attempt and mines the block. */
export async function payAttempt(
  bench: ChainApi,
  attempt: Attempt,
  way: WayToPay,
  amount: bigint = attempt.amount,
): Promise<Hex> {
  const { address: token } = attempt.token
  const { reference, splitAddress, depositAddress } = attempt
  const isNative = token === nativeAddress
  if (way === 'call' && !isNative) await bench.send({ to: token, data: approveData(splitAddress) })
  const paying = isNative
    ? { data: payData(reference), value: amount }
    : { data: payData(reference, { token, amount }) }
  const { hash } = await (way === 'call'
    ? bench.send({ to: splitAddress, ...paying })
    : bench.transfer(token, depositAddress, amount))
  await bench.node.mine()
  return hash
}
