import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { type Hex, keccak256, toHex } from 'viem'
import { beforeEach, expect, test } from 'vitest'
import { transferData } from '../../support/chain/chain-api.ts'
import { newSigner, signTyped, startClaims } from '../../support/chain/refunds.ts'
import { deployAccountFactory } from '../../support/chain/smart-account.ts'
import { perFile } from '../../support/per-file.ts'

const claims = perFile(startClaims)
beforeEach(() => claims.logIn())

async function mineUntil<T>(promised: Promise<T>): Promise<T> {
  let isOver = false
  const over = promised.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await claims.mine()
    await Promise.race([over.catch(() => {}), new Promise((resolve) => setImmediate(resolve))])
  }
  return over
}

test('a smart account that paid proves it by its own contract, and only with its owner’s signature', async () => {
  const { client } = claims.chain
  const owner = newSigner()
  const salt = keccak256(toHex('account of a buyer'))
  const factory = await mineUntil(deployAccountFactory(claims.chain))
  await mineUntil(factory.deploy(owner.address, salt))
  const account = parseWallet(factory.accountOf(owner.address, salt).address) as Wallet
  await claims.chain.fund(account)

  const paid = await claims.lostPayment()
  const attempt = (await claims.find(paid.transactionHash))[0]?.to as Hex
  await client.impersonateAccount({ address: account })
  const data = transferData(attempt, 3_000_000n)
  const transactionHash = await client.sendUnsignedTransaction({
    from: account,
    to: claims.tokenAddress('USDC'),
    data,
  })
  await claims.mine(6)
  await claims.scan()
  await claims.logIn()
  const [found] = await claims.find(transactionHash)
  expect(found).toMatchObject({ payer: account, amount: '3000000' })
  const payment = { transactionHash, logIndex: found?.logIndex ?? 0 }

  const prove = async (signer: typeof owner) => {
    const typedData = await claims.challenge(payment, { ...owner, address: account })
    return claims.sendProof(payment, {
      wallet: account,
      nonce: typedData.message.nonce,
      signature: await signTyped(signer, typedData),
    })
  }
  expect((await prove(newSigner())).status).toBe(403)
  expect((await prove(owner)).status).toBe(201)
  expect(await claims.fromInbox(transactionHash)).toMatchObject({
    claim: { isProven: true, wallet: account, refundAddress: account },
  })
})
