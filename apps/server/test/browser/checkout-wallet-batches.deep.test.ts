import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWalletStage, type WalletStage } from '../support/browser/checkout-stage.ts'

let stage: WalletStage
beforeAll(async () => {
  stage = await startWalletStage()
})
afterAll(() => stage?.close())

const purse = { ETH: 1, USDC: 100 }

describe('a wallet that sends batches', () => {
  it('approves and pays by one confirmation, and the page follows it', async () => {
    const buyer = await stage.begin('batch', { purse, wallet: { batches: true } })
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    const hash = buyer.page.locator('[data-slot=hash]')
    await expect.poll(() => hash.innerText()).toMatch(/^0x[0-9a-f]{64}$/)
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(0)
    const sent = buyer.wallet.calls.find((call) => call.method === 'wallet_sendCalls')
    expect(sent?.params).toEqual([
      expect.objectContaining({
        version: '2.0.0',
        chainId: '0x7a69',
        from: buyer.wallet.address,
        atomicRequired: true,
      }),
    ])
    const balance = await stage.chain.client.getTransactionReceipt({
      hash: (await hash.innerText()) as `0x${string}`,
    })
    expect(balance.status).toBe('success')
    await buyer.page.reload()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    await buyer.close()
  })

  it('and declines: nothing was charged', async () => {
    const buyer = await stage.begin('batch-no', { purse, wallet: { batches: true } })
    buyer.wallet.refuse('wallet_sendCalls')
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Nothing was charged' }).waitFor()
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(0)
    await buyer.close()
  })

  it.each([5700, 5750, 5760, 4200])('and cannot this time (%d): pays by two transactions', async (code) => {
    const buyer = await stage.begin(`batch-${code}`, { purse, wallet: { batches: true } })
    buyer.wallet.refuse('wallet_sendCalls', { code, message: 'not now' })
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(2)
    await buyer.close()
  })

  it('is asked for none where one call does', async () => {
    const buyer = await stage.begin('batch-one', { purse, token: 'ETH', wallet: { batches: true } })
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(buyer.wallet.count('wallet_getCapabilities')).toBe(0)
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(1)
    await buyer.close()
  })
})

describe('a wallet that signs permits', () => {
  it('of a token or split that takes none in the end: approves instead, and nothing is sent in vain', async () => {
    // The fake view's split is not a contract that accepts a permit, so the simulation fails.
    const buyer = await stage.begin('permit-vain', {
      purse,
      wallet: { signs: true },
      attempt: { payTo: stage.chain.contracts.tokens.USDC },
    })
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(buyer.wallet.count('eth_signTypedData_v4')).toBe(1)
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(2)
    await buyer.close()
  })

  it('and declines: nothing was charged, and no approval is asked for behind it', async () => {
    const buyer = await stage.begin('permit-no', { purse, wallet: { signs: true } })
    buyer.wallet.refuse('eth_signTypedData_v4')
    await buyer.pay()
    await buyer.page.getByRole('heading', { name: 'Nothing was charged' }).waitFor()
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(0)
    await buyer.close()
  })
})

it('point 44: none of this leaves an error in the console or a report of the policy', () => {
  expect(stage.problems).toEqual([])
})
