import { randomUUID } from 'node:crypto'
import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/token.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi, type Hex, maxUint256 } from 'viem'
import { assert } from '../../src/kernel/assert.ts'
import { ensureMerchant } from '../../src/merchants/ensure-merchant.ts'
import type { Attempt } from '../../src/payments/attempt.ts'
import { listAttempts } from '../../src/payments/attempt-store.ts'
import { openAttempt } from '../../src/payments/open-attempt.ts'
import { insertPayment } from '../../src/payments/payment-store.ts'
import { changeStatus } from '../../src/receipts/change-status.ts'
import { createReceipt } from '../../src/receipts/create-receipt.ts'
import { parseCreateReceipt } from '../../src/receipts/parse-create.ts'
import { configureSplit, type RecipientInput } from '../../src/split/configure-split.ts'
import { transferTopic } from '../../src/split/decode-events.ts'
import { deploySplitsJob } from '../../src/split/deploy-splits.ts'
import type { Split } from '../../src/split/split.ts'
import { payData, randomWallet, runJob, type SplitBench } from './split-bench.ts'

/** The ways a buyer can pay. */
export type WayToPay = 'call' | 'deposit'

const site = { baseUrl: 'https://pay.example.com', chainId: 31337, isProduction: false }

/** A merchant of its own whose split stands on the chain. */
export async function deploySplit(bench: SplitBench, recipients?: readonly RecipientInput[]): Promise<Split> {
  const merchant = randomWallet()
  await ensureMerchant(bench.needs, merchant, 'Test Shop')
  const { split } = await configureSplit({ ...bench.needs, platform: bench.platform }, merchant, {
    recipients,
  })
  const job = deploySplitsJob(bench.needs, bench.keeper, 'deploy')
  await runJob(job)
  await bench.node.mine()
  await runJob(job)
  return split
}

/** A receipt over ten dollars with an open attempt in `token`. */
export async function openTestAttempt(
  bench: SplitBench,
  merchant: Wallet,
  token: TokenSymbol,
): Promise<Attempt> {
  const { needs } = bench
  const request = parseCreateReceipt(
    { id: `order-${randomUUID()}`, lineItems: [{ label: 'Coffee', priceUsd: 10 }], totalUsd: 10 },
    site,
  )
  const brand = { key: 'service', name: 'Sluice' }
  const key = { keyId: 'key', sealedKey: 'sealed' }
  const receipt = await createReceipt({ ...needs, brand }, merchant, key, request)
  const offer = { rates: needs.rates, minCents: 1n, maxCents: 10_000_000n }
  await openAttempt({ ...needs, offer }, receipt, { token })
  const attempt = (await listAttempts(needs.db, merchant, receipt.id)).at(-1)
  assert(attempt, 'an attempt was opened')
  return attempt
}

/** Pays an attempt and mines the block. */
export async function payAttempt(
  bench: SplitBench,
  attempt: Attempt,
  way: WayToPay,
  amount: bigint = attempt.amount,
): Promise<Hex> {
  const { address: token } = attempt.token
  const { reference, splitAddress, depositAddress } = attempt
  let hash: Hex
  if (token === nativeAddress) {
    hash =
      way === 'call'
        ? await bench.send({ to: splitAddress, data: payData(reference), value: amount })
        : await bench.send({ to: depositAddress, value: amount })
  } else if (way === 'call') {
    const args = [splitAddress, maxUint256] as const
    await bench.send({
      to: token,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args }),
    })
    hash = await bench.send({ to: splitAddress, data: payData(reference, { token, amount }) })
  } else {
    hash = await bench.send({ to: token, data: transferData(depositAddress, amount) })
  }
  await bench.node.mine()
  return hash
}

/** What the watcher does when it finds the payment: books it and, where it covers the receipt, has it paid. */
export async function creditPayment(
  bench: SplitBench,
  attempt: Attempt,
  hash: Hex,
  options: { amount?: bigint; state?: 'credited' | 'unmatched' } = {},
): Promise<void> {
  const { needs } = bench
  const mined = await needs.chain.findReceipt(hash)
  assert(mined?.isSuccess, 'the payment was mined')
  const isCall = mined.logs.some((log) => log.address === attempt.splitAddress)
  const isNative = attempt.token.address === nativeAddress
  const log = isCall
    ? mined.logs.find((each) => each.address === attempt.splitAddress)
    : mined.logs.find((each) => each.topics[0] === transferTopic)
  const header = await needs.chain.findHeader(mined.blockNumber)
  const state = options.state ?? 'credited'
  const units = (options.amount ?? attempt.amount) as TokenUnits
  await needs.db.transaction(async (tx) => {
    await insertPayment(tx, needs.chain.id, {
      merchant: attempt.merchant,
      receiptId: attempt.receiptId,
      attemptId: attempt.id,
      txHash: hash,
      logIndex: log?.logIndex ?? -1,
      address: log ? '' : attempt.depositAddress,
      kind: isCall ? 'call' : isNative ? 'native' : 'transfer',
      token: attempt.token,
      units,
      payer: undefined,
      rate: attempt.rate,
      isLate: false,
      block: { number: mined.blockNumber, hash: mined.blockHash, at: header?.at ?? (0 as UnixMs) },
      state,
      seenAt: needs.clock.now(),
      creditedAt: state === 'credited' ? needs.clock.now() : undefined,
    })
    if (state !== 'credited') return
    await changeStatus({ ...needs, tx }, attempt.merchant, attempt.receiptId as ReceiptId, {
      kind: 'payment_verified',
      detail: {},
      paid: {
        transactionHash: hash,
        transactionAt: needs.clock.now(),
        token: attempt.token.symbol,
        units,
        buyerWallet: undefined,
      },
    })
  })
}

/** The data of a token's transfer. */
export function transferData(to: Wallet, amount: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
}
