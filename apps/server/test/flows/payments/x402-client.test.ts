import { decodePaymentResponseHeader } from '@x402/fetch'
import { expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { encodePayment, patientFetch, replyOf, startPrograms } from '../../support/chain/programs.ts'
import { accountThatTakes, fundGaslessBuyer, wrapSignature } from '../../support/chain/signatures.ts'
import { perFile } from '../../support/per-file.ts'

const running = [jobNames.relayPayments, jobNames.scanTransfers, jobNames.settleTransactions]
const context = perFile(() => startPrograms({ blockTime: 1, running }))
const accept = { accept: 'application/json' }
const settle = async (id: string, payment: string) =>
  replyOf(await patientFetch(context.payUrl(id), { headers: { ...accept, 'PAYMENT-SIGNATURE': payment } }))
const balance = (of: string) => context.balanceOf(context.tokenAddress('USDC'), of)

test('the official client pays a receipt that was made through the API, without ETH', async () => {
  await context.newReceipt('official', 12.34)
  const before = await balance(context.payer.wallet)
  const response = await context.payingFetch(context.payer)(context.payUrl('official'), { headers: accept })
  expect(response.status).toBe(200)
  const settled = decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE') ?? '')
  const body = (await response.json()) as { receipt: { payment: { transactionHash: string } } }
  expect(settled).toEqual({
    success: true,
    network: 'eip155:31337',
    payer: context.payer.wallet,
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    amount: '12340000',
    extra: {
      receiptId: 'official',
      recipient: context.merchant.wallet,
      receiptUrl: `https://pay.example.com/receipt/official?recipient=${context.merchant.wallet}`,
    },
  })
  expect(body).toMatchObject({ paid: true, receipt: { status: 'paid', payment: { state: 'paid' } } })
  expect(body.receipt.payment.transactionHash).toBe(settled.transaction)
  expect(before - (await balance(context.payer.wallet))).toBe(12_340_000n)
  expect((await context.messages('official')).map(({ body }) => body.status)).toEqual(['paid'])

  const again = await context.payingFetch(context.payer)(context.payUrl('official'), { headers: accept })
  expect(again.status).toBe(200)
  expect(before - (await balance(context.payer.wallet))).toBe(12_340_000n)
})

test('the same request again, and many times at once, is one payment with one answer', async () => {
  await context.newReceipt('again', 7)
  const payment = encodePayment(await context.sign('again'))
  const before = await balance(context.payer.wallet)
  const replies = await Promise.all(Array.from({ length: 8 }, () => settle('again', payment)))
  const later = await settle('again', payment)
  for (const reply of [...replies, later]) {
    expect(reply.status).toBe(200)
    expect(reply.response).toEqual(later.response)
  }
  expect(before - (await balance(context.payer.wallet))).toBe(7_000_000n)
  expect(await context.rows(`SELECT state FROM relayed_payment WHERE receipt_id = 'again'`)).toHaveLength(1)
})

test('a smart account pays by a signature that is wrapped as for one that may not be deployed (ERC-6492)', async () => {
  await context.newReceipt('wrapped', 7)
  const account = await fundGaslessBuyer(context.api)
  const payment = await context.sign('wrapped', account)
  payment.payload.signature = wrapSignature(payment.payload.signature)
  await context.chain.client.setCode({ address: account.wallet, bytecode: accountThatTakes(65) })
  expect((await settle('wrapped', encodePayment(payment))).status).toBe(200)
})

test('of two payers at the same moment one pays, and the other is not charged', async () => {
  await context.newReceipt('two', 9)
  const rival = await fundGaslessBuyer(context.api)
  const wallets = [context.payer.wallet, rival.wallet]
  const before = new Map(await Promise.all(wallets.map(async (each) => [each, await balance(each)] as const)))
  const payments = await Promise.all([context.sign('two'), context.sign('two', rival)])
  const replies = await Promise.all(payments.map((payment) => settle('two', encodePayment(payment))))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
  const refused = replies.find(({ status }) => status === 409)
  expect(['settlement_pending', 'invalid_payment_requirements']).toContain(refused?.response.errorReason)
  const loser = refused?.response.payer
  expect(await balance(loser)).toBe(before.get(loser))
})

test('a program that asks without JSON, as the official client does of itself, is given the page', async () => {
  await context.newReceipt('plain', 5)
  const response = await context.payingFetch(context.payer)(context.payUrl('plain'))
  expect(response.headers.get('content-type')).toContain('text/html')
  const link = response.headers.get('link')
  expect(link).toContain('type="application/json"')
  expect((await replyOf(response)).required).toBeUndefined()
})
