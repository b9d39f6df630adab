import { testUSDCAbi } from '@sluice/contracts/abi/TestUSDC.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { beforeEach, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { randomWallet } from '../../support/chain/chain-api.ts'
import { startClaims } from '../../support/chain/refunds.ts'
import { perFile } from '../../support/per-file.ts'

const claims = perFile(startClaims)
beforeEach(() => claims.logIn())

const token = perFile(async () => {
  const address = randomWallet()
  const code = await claims.node.client.getCode({ address: claims.tokenAddress('USDC') })
  await claims.node.client.setCode({ address, bytecode: code as Hex })
  const args = [claims.buyer.address, 1_000_000_000n] as const
  await claims.send({
    to: address,
    data: encodeFunctionData({ abi: testUSDCAbi, functionName: 'mint', args }),
  })
  await claims.mine()
  return { address, stop: async () => {} }
})

async function sendUnlisted(units = 5_000_000n) {
  const receiptId = await claims.newTarget(10)
  const { depositAddress, payTo } = await claims.attempt(receiptId, 'USDC')
  const { hash } = await claims.transfer(token.address, depositAddress as Wallet, units)
  return { receiptId, hash, deposit: depositAddress as Wallet, split: payTo as Wallet }
}

const inboxOf = async (hash: Hex) =>
  (await claims.list('?state=all&limit=200')).filter((each) => each.transactionHash === hash)

test('is in nobody’s inbox until somebody claims it, who is told what it is', async () => {
  const { hash, deposit, receiptId } = await sendUnlisted()
  await claims.mine()
  expect(await claims.find(hash)).toEqual([])
  await claims.mineAndScan(8)
  expect(await inboxOf(hash)).toEqual([])
  const [payment] = await claims.find(hash)
  expect(payment).toEqual({
    transactionHash: hash,
    logIndex: expect.any(Number),
    token: null,
    tokenAddress: token.address,
    tokenName: 'USDC',
    decimals: 6,
    amount: '5000000',
    payer: claims.buyer.address,
    to: deposit,
    at: expect.any(Number),
  })
  expect(await inboxOf(hash)).toEqual([])

  const named = { transactionHash: hash, logIndex: payment?.logIndex ?? -1 }
  const made = await claims.claim(named, claims.buyer)
  expect(made.status).toBe(201)
  expect(await inboxOf(hash)).toMatchObject([
    {
      reason: 'unlisted-token',
      receiptId,
      token: null,
      tokenAddress: token.address,
      tokenName: 'USDC',
      amount: 5,
      amountRaw: '5000000',
      payer: claims.buyer.address,
      claim: { id: made.body.caseId, isProven: true },
    },
  ])
  expect(await claims.status(receiptId)).toBe('pending')
  expect(await claims.find(hash)).toEqual([payment])
})

test('is never credited, and moves to the split once the merchant has decided about it', async () => {
  const { hash, receiptId, deposit, split } = await sendUnlisted(7_000_000n)
  await claims.mineAndScan(8)
  const [payment] = await claims.find(hash)
  await claims.claimByWord({ transactionHash: hash, logIndex: payment?.logIndex ?? -1 })
  const [{ id } = { id: '' }] = await inboxOf(hash)
  expect((await claims.decide(id, { action: 'apply', receiptId })).status).toBe(400)
  const sweep = async () => {
    await claims.run(jobNames.sweepDeposits)
    await claims.mine()
    return claims.balanceOf(token.address, split)
  }
  expect(await sweep()).toBe(0n)
  expect((await claims.decide(id, { action: 'keep' })).status).toBe(200)
  expect(await sweep()).toBe(7_000_000n)
  expect(await claims.balanceOf(token.address, deposit)).toBe(0n)
})

test('five of one receipt at most are taken, and nothing of what reached no address of ours', async () => {
  const { deposit } = await sendUnlisted()
  const hashes: Hex[] = []
  for (let i = 0; i < 6; i++) hashes.push((await claims.transfer(token.address, deposit, BigInt(i + 1))).hash)
  const elsewhere = await claims.transfer(token.address, randomWallet(), 5n)
  await claims.mineAndScan(8)
  expect(await claims.find(elsewhere.hash)).toEqual([])
  const statuses: number[] = []
  for (const hash of hashes) {
    const [payment] = await claims.find(hash)
    const named = { transactionHash: hash, logIndex: payment?.logIndex ?? -1 }
    statuses.push((await claims.claimByWord(named)).status)
  }
  expect(statuses).toEqual([201, 201, 201, 201, 201, 404])
})
