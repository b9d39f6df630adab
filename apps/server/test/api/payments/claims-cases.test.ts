import { beforeEach, describe, expect, test } from 'vitest'
import { findCase } from '../../../src/payments/claims/find-case.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { logInAs, newWallet } from '../../support/api/sessions.ts'
import { type NamedPayment, startClaims } from '../../support/chain/refunds.ts'
import { perFile } from '../../support/per-file.ts'

const claims = perFile(startClaims)
beforeEach(() => claims.logIn())

describe('a case', () => {
  const caseOf = async (payment: NamedPayment) =>
    (await claims.claim(payment, claims.buyer)).body.caseId as string
  const see = (id: string) => findCase(claims.needs, id, undefined)

  test('tells that the payment was credited to a receipt, and not to which', async () => {
    const payment = await claims.lostPayment()
    const id = await caseOf(payment)
    const target = claims.newId()
    await claims.newReceipt(target, 10)
    const unmatched = await claims.fromInbox(payment.transactionHash)
    const response = await claims.decide(unmatched.id, { action: 'apply', receiptId: target })
    expect([response.status, response.body.payment.claim.id]).toEqual([200, id])
    const view = await see(id)
    expect(view).toMatchObject({ state: 'applied', decidedAt: expect.any(Number), refund: null })
    expect(JSON.stringify(view)).not.toContain(target)
    expect((await claims.claim(payment, claims.buyer)).status).toBe(404)
  })

  test('tells the refund with its transaction, which goes where the claim asked for', async () => {
    const payment = await claims.lostPayment()
    const refundAddress = newWallet().wallet
    const made = await claims.claimByWord(payment, { refundAddress })
    const claimId = made.body.caseId
    const { hash } = await claims.transfer(claims.tokenAddress('USDC'), refundAddress, 10_000_000n)
    await claims.mine(6)
    const unmatched = await claims.fromInbox(payment.transactionHash)
    const wrong = await claims.decide(unmatched.id, { action: 'refund', txHash: hash, claimId: 'C-0' })
    expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_input'])
    expect((await claims.decide(unmatched.id, { action: 'refund', txHash: hash, claimId })).status).toBe(200)
    expect(await see(claimId)).toMatchObject({
      state: 'open',
      refund: { transactionHash: hash, isConfirmed: false },
    })
    claims.api.clock.jumpTo(claims.api.clock.now() + 3_000)
    await claims.run(jobNames.verifyRefunds)
    expect(await see(claimId)).toMatchObject({ state: 'refunded', refund: { isConfirmed: true } })
    const audit = await claims.api.call('GET', '/api/audit', { session: claims.owner })
    expect(audit.body.entries[0]).toMatchObject({ action: 'payment.decided', details: { claimId } })
  })

  test('of a refund that went elsewhere is open again', async () => {
    const payment = await claims.lostPayment()
    const made = await claims.claimByWord(payment)
    const { hash } = await claims.transfer(claims.tokenAddress('USDC'), newWallet().wallet, 10_000_000n)
    await claims.mine(6)
    const unmatched = await claims.fromInbox(payment.transactionHash)
    await claims.decide(unmatched.id, { action: 'refund', txHash: hash, claimId: made.body.caseId })
    claims.api.clock.jumpTo(claims.api.clock.now() + 3_000)
    await claims.run(jobNames.verifyRefunds)
    expect(await see(made.body.caseId)).toMatchObject({ state: 'open', refund: null })
  })

  test('tells that the merchant keeps the money, and nothing of the reason', async () => {
    const payment = await claims.lostPayment()
    const id = await caseOf(payment)
    await claims.decide((await claims.fromInbox(payment.transactionHash)).id, {
      action: 'keep',
      note: 'we think he is lying',
    })
    const view = await see(id)
    expect(view.state).toBe('kept')
    expect(JSON.stringify(view)).not.toContain('lying')
  })

  test('under a number nobody has is not found', async () => {
    const error = expect.objectContaining({ code: 'not_found' })
    for (const id of ['C-00000000000000000000000000', 'C-1', '', "C-' OR 1=1 --", '../api'])
      await expect(see(id)).rejects.toEqual(error)
  })
})

test('another merchant sees nothing of a claim, nor can decide with it', async () => {
  const payment = await claims.lostPayment()
  const made = await claims.claimByWord(payment, { contact: 'only-for-one@example.com' })
  const other = await claims.api.addMerchant()
  const session = await logInAs(claims.api, other.wallet, 'owner')
  const list = await claims.api.call('GET', '/api/payments/unmatched?state=all', { session })
  expect(list.text).not.toContain('only-for-one')
  const { id } = await claims.fromInbox(payment.transactionHash)
  const body = { action: 'refund', claimId: made.body.caseId }
  expect((await claims.api.call('POST', `/api/payments/unmatched/${id}`, { body, session })).status).toBe(404)
})
