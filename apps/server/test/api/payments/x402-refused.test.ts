import { encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { newWallet } from '../../support/api/sessions.ts'
import { encodePayment, type ProgramReply, startPrograms } from '../../support/chain/programs.ts'
import { fundGaslessBuyer, signAuthorization } from '../../support/chain/signatures.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startPrograms)
let count = 0
const open = async (totalUsd = 10) => {
  const id = `refused-${++count}`
  await context.newReceipt(id, totalUsd)
  return id
}

/** Expects that a rejected payment moves nothing, and that the response requests a payment again. */
async function expectRefused(id: string, reply: ProgramReply, reason: string) {
  expect(reply.response).toMatchObject({ success: false, errorReason: reason, transaction: '' })
  expect(reply.response.network).toBe('eip155:31337')
  expect(reply.status).toBe(402)
  expect(reply.required).toMatchObject({ x402Version: 2, error: reason, accepts: [{ scheme: 'exact' }] })
  const relays = await context.rows('SELECT 1 FROM relayed_payment WHERE receipt_id = $1', [id])
  expect(relays).toEqual([])
  expect(await context.status(id)).toBe('pending')
}

type Change = (payload: Awaited<ReturnType<typeof context.sign>>) => unknown
const stranger = newWallet().wallet

const changes: readonly (readonly [string, string, Change])[] = [
  [
    'another network',
    'invalid_exact_evm_network_mismatch',
    ({ accepted }) => (accepted.network = 'eip155:8453'),
  ],
  ['no network', 'invalid_exact_evm_network_mismatch', ({ accepted }) => (accepted.network = '')],
  ['another scheme', 'unsupported_scheme', ({ accepted }) => (accepted.scheme = 'upto')],
  ['another asset', 'invalid_payment_requirements', ({ accepted }) => (accepted.asset = stranger)],
  ['another payTo', 'invalid_exact_evm_recipient_mismatch', ({ accepted }) => (accepted.payTo = stranger)],
  [
    'another recipient',
    'invalid_exact_evm_recipient_mismatch',
    ({ payload }) => (payload.authorization.to = stranger),
  ],
  [
    'a recipient that is no address of the receipt',
    'invalid_exact_evm_recipient_mismatch',
    ({ accepted, payload }) => {
      accepted.payTo = stranger
      payload.authorization.to = stranger
    },
  ],
  [
    'another value than the amount',
    'invalid_exact_evm_payload_authorization_value_mismatch',
    ({ payload }) => (payload.authorization.value = '9999999'),
  ],
  [
    'less than is asked for',
    'invalid_payment_requirements',
    ({ accepted, payload }) => {
      accepted.amount = '1'
      payload.authorization.value = '1'
    },
  ],
  [
    'a signature of another payer',
    'invalid_exact_evm_signature',
    ({ payload }) => (payload.authorization.from = stranger),
  ],
  [
    'a signature that was changed',
    'invalid_exact_evm_signature',
    ({ payload }) => (payload.signature = `0x${'11'.repeat(64)}1b`),
  ],
  [
    'a signature over another nonce',
    'invalid_exact_evm_signature',
    ({ payload }) => (payload.authorization.nonce = `0x${'22'.repeat(32)}`),
  ],
  [
    'an authorization that has expired',
    'invalid_exact_evm_payload_authorization_valid_before',
    ({ payload }) => (payload.authorization.validBefore = '1740672154'),
  ],
  [
    'an authorization that is not valid yet',
    'invalid_exact_evm_payload_authorization_valid_after',
    ({ payload }) => (payload.authorization.validAfter = '9999999999'),
  ],
  [
    'a payload of Permit2',
    'unsupported_payload_type',
    (sent) => (sent.payload = { permit2Authorization: {}, signature: '0x12' }),
  ],
]

describe('a payment is refused in the words of the protocol, and moves nothing', () => {
  test.each(changes)('%s', async (_, reason, change) => {
    const id = await open()
    const payload = await context.sign(id)
    change(payload)
    await expectRefused(id, await context.ask(context.payUrl(id), encodePayment(payload)), reason)
  })

  test('a domain that is not the token’s', async () => {
    const id = await open()
    const { required } = await context.ask(context.payUrl(id))
    required.accepts[0].extra.version = '1'
    const payload = await context.client(context.payer).createPaymentPayload(required)
    const reply = await context.ask(context.payUrl(id), encodePayment(payload))
    await expectRefused(id, reply, 'invalid_exact_evm_signature')
  })

  test('a payer who does not have the amount', async () => {
    const id = await open(500)
    const poor = await fundGaslessBuyer(context.api, 3)
    await context.mineAndScan()
    const payload = await context.sign(id, poor)
    const reply = await context.ask(context.payUrl(id), encodePayment(payload))
    await expectRefused(id, reply, 'invalid_exact_evm_insufficient_balance')
  })

  test('a nonce that was used or cancelled', async () => {
    const id = await open()
    const payload = await context.sign(id)
    await cancel(payload.payload.authorization.nonce)
    const reply = await context.ask(context.payUrl(id), encodePayment(payload))
    await expectRefused(id, reply, 'invalid_exact_evm_nonce_already_used')
  })

  test('a payment of another receipt', async () => {
    const [id, other] = [await open(), await open()]
    await context.ask(context.payUrl(id))
    const payload = await context.sign(other)
    const reply = await context.ask(context.payUrl(id), encodePayment(payload))
    await expectRefused(id, reply, 'invalid_exact_evm_recipient_mismatch')
  })

  test('a payment of a receipt that was replaced meanwhile: the answer asks for the new amount', async () => {
    const id = await open(10)
    const payload = await context.sign(id)
    await context.newReceipt(id, 11)
    const reply = await context.ask(context.payUrl(id), encodePayment(payload))
    await expectRefused(id, reply, 'invalid_payment_requirements')
    expect(reply.required.accepts[0].amount).toBe('11000000')
  })

  test('a payment of an offer that has ended', async () => {
    const id = await open()
    const { required } = await context.ask(context.payUrl(id))
    await context.passTime(16 * 60)
    const [{ payTo }] = required.accepts
    const signed = await signAuthorization(context.api, context.payer, {
      depositAddress: payTo,
      amount: 10_000_000n,
    } as never)
    const { authorization, signature } = signed
    const texts = Object.entries(authorization).map(([name, value]) => [name, String(value)])
    const payload = { authorization: Object.fromEntries(texts), signature }
    const payment = encodePayment({ x402Version: 2, accepted: required.accepts[0], payload })
    const reply = await context.ask(context.payUrl(id), payment)
    await expectRefused(id, reply, 'invalid_payment_requirements')
    expect(reply.required.accepts[0].payTo).not.toBe(payTo)
  })
})

test('a receipt that is paid takes no payment: nothing is charged, and nothing is asked for', async () => {
  const id = await open()
  const payload = await context.sign(id)
  const { hash } = await context.payAndScan(await context.attempt(id, 'USDC'), 'call')
  const before = await context.balanceOf(context.tokenAddress('USDC'), context.payer.wallet)
  const reply = await context.ask(context.payUrl(id), encodePayment(payload))
  expect(reply).toMatchObject({ status: 409, required: undefined })
  expect(reply.response).toMatchObject({ success: false, errorReason: 'invalid_payment_requirements' })
  expect(reply.body).toMatchObject({ receipt: { status: 'paid', payment: { transactionHash: hash } } })
  expect(await context.balanceOf(context.tokenAddress('USDC'), context.payer.wallet)).toBe(before)
})

test('a receipt that was cancelled takes no payment', async () => {
  const id = await open()
  const payload = await context.sign(id)
  await context.api.call('POST', `/api/receipts/${id}/cancel`, { key: context.merchant.key })
  const reply = await context.ask(context.payUrl(id), encodePayment(payload))
  expect(reply).toMatchObject({ status: 410, required: undefined, body: { error: 'receipt_cancelled' } })
  expect(reply.response).toMatchObject({ success: false, transaction: '' })
})

/** Uses up one of the payer's nonces with a cancellation that any account may submit. */
async function cancel(nonce: Hex) {
  const { wallet, privateKey } = context.payer
  const verifyingContract = context.tokenAddress('USDC')
  const signature = await privateKeyToAccount(privateKey).signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: 31337, verifyingContract },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: wallet, nonce },
  })
  const abi = [
    {
      type: 'function',
      name: 'cancelAuthorization',
      stateMutability: 'nonpayable',
      inputs: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
        { name: 'signature', type: 'bytes' },
      ],
      outputs: [],
    },
  ] as const
  const data = encodeFunctionData({
    abi,
    functionName: 'cancelAuthorization',
    args: [wallet, nonce, signature],
  })
  await context.api.send({ to: verifyingContract, data })
  await context.mineAndScan()
}

test('a HEAD with a good payment pays nothing', async () => {
  const id = await open()
  const headers = { accept: 'application/json', 'payment-signature': encodePayment(await context.sign(id)) }
  expect((await fetch(context.payUrl(id), { method: 'HEAD', headers })).status).toBe(402)
  expect(await context.rows('SELECT 1 FROM relayed_payment WHERE receipt_id = $1', [id])).toEqual([])
})
