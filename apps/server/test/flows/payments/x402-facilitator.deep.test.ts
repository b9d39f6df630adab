import { expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { until } from '../../../src/platform/process/process.ts'
import { startFacilitator } from '../../support/chain/facilitator-stand-in.ts'
import { encodePayment, startPrograms } from '../../support/chain/programs.ts'
import { perFile } from '../../support/per-file.ts'

const running = [jobNames.relayPayments, jobNames.scanTransfers]
const facilitator = perFile(startFacilitator)
const context = perFile(async () => {
  const started = await startPrograms({
    blockTime: 1,
    running,
    facilitatorUrl: facilitator.url,
    facilitatorHeaders: { authorization: 'Bearer of the operator' },
  })
  facilitator.use(started.chain.rpcUrl)
  return started
})

const invented = `0x${'ab'.repeat(32)}`
const open = async (id: string) => {
  await context.newReceipt(id, 8)
  const payload = await context.sign(id)
  return {
    payTo: payload.accepted.payTo as string,
    pay: () => context.ask(context.payUrl(id), encodePayment(payload)),
  }
}

test('a configured facilitator settles in the relayer’s place, and the chain has the last word', async () => {
  const { payTo, pay } = await open('by-facilitator')
  const reply = await pay()
  expect(reply).toMatchObject({ status: 200, response: { success: true, payer: context.payer.wallet } })
  expect(reply.body).toMatchObject({ paid: true, receipt: { status: 'paid' } })
  expect(await context.balanceOf(context.tokenAddress('USDC'), payTo)).toBe(8_000_000n)
  const [request] = facilitator.requests
  expect(request?.headers.authorization).toBe('Bearer of the operator')
  expect(request?.body).toMatchObject({ x402Version: 2, paymentRequirements: { scheme: 'exact', payTo } })
  expect((await pay()).response).toEqual(reply.response)
  expect(facilitator.requests).toHaveLength(1)
})

test('a facilitator that refuses has the payment refused', async () => {
  const { pay } = await open('refused')
  facilitator.behave = () => ({
    status: 200,
    body: { success: false, errorReason: 'no_thanks', transaction: '' },
  })
  const reply = await pay()
  expect(reply.status).toBe(402)
  expect(reply.response.errorReason).toBe('invalid_exact_evm_transaction_simulation_failed')
  expect(await context.status('refused')).toBe('pending')
})

test('a facilitator that refuses what it was given before and may have sent has not the last word', async () => {
  const { payTo, pay } = await open('lost-then-refused')
  const responses = [
    { status: 502, body: 'lost' },
    { status: 200, body: { success: false, errorReason: 'duplicate_settlement', transaction: '' } },
  ]
  let askedCount = 0
  facilitator.behave = (to) => (to === payTo ? responses[Math.min(askedCount++, 1)] : undefined)
  const first = pay()
  expect(await until(() => askedCount >= 2, 60_000)).toBe(true)
  expect((await first).response).toMatchObject({ success: false, errorReason: 'settlement_pending' })
  const given = facilitator.requests.findLast(({ body }) => body.paymentRequirements.payTo === payTo)
  if (given) await facilitator.settle(given)
  const isPaid = async () => (await context.status('lost-then-refused')) === 'paid'
  expect(await until(isPaid, 60_000)).toBe(true)
  expect((await pay()).status).toBe(200)
  expect(await context.balanceOf(context.tokenAddress('USDC'), payTo)).toBe(8_000_000n)
  facilitator.behave = () => undefined
})

test('a facilitator that lies, is broken or talks nonsense pays nothing; once it settles, the same request does', async () => {
  const bills = await Promise.all(['lies', 'broken', 'nonsense'].map(open))
  const says: Record<string, { status: number; body: unknown }> = {
    [bills[0]?.payTo ?? '']: {
      status: 200,
      body: { success: true, transaction: invented, network: 'eip155:31337' },
    },
    [bills[1]?.payTo ?? '']: { status: 500, body: { success: false, errorReason: 'out of order' } },
    [bills[2]?.payTo ?? '']: { status: 200, body: '<html>' },
  }
  facilitator.behave = (payTo) => says[payTo]
  const replies = await Promise.all(bills.map(({ pay }) => pay()))
  for (const reply of replies) {
    expect(reply.status).toBe(202)
    expect(reply.response).toMatchObject({ success: false, errorReason: 'settlement_pending' })
    expect(reply.body.paid).toBe(false)
  }
  for (const id of ['lies', 'broken', 'nonsense']) expect(await context.status(id)).toBe('pending')
  facilitator.behave = () => undefined
  const areSettled = async () =>
    (await Promise.all(bills.map(({ pay }) => pay()))).every(({ status }) => status === 200)
  expect(await until(areSettled, 60_000)).toBe(true)
  for (const id of ['lies', 'broken', 'nonsense']) expect(await context.status(id)).toBe('paid')
})
