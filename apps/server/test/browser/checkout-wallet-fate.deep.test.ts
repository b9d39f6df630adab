import type { Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startWalletStage, type WalletBuyer, type WalletStage } from '../support/browser/checkout-stage.ts'

let stage: WalletStage
beforeAll(async () => {
  stage = await startWalletStage()
})
beforeEach(() => setAutomine(true))
afterAll(() => stage?.close())

async function setAutomine(isOn: boolean): Promise<void> {
  await stage.chain.client.request({ method: 'evm_setAutomine', params: [isOn] } as never)
}

/** Pays while the chain mines no blocks, so that the transaction stays pending. */
async function payAndWait(id: string, hasClock = false): Promise<WalletBuyer & { hash: Hex }> {
  const buyer = await stage.begin(id, { purse: { ETH: 1 }, token: 'ETH', page: { hasClock } })
  await setAutomine(false)
  await buyer.pay()
  await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
  return { ...buyer, hash: await shownHash(buyer) }
}

async function shownHash({ page }: WalletBuyer): Promise<Hex> {
  return (await page.locator('[data-slot=hash]').innerText()) as Hex
}

async function isWatched(buyer: WalletBuyer): Promise<void> {
  await expect.poll(() => buyer.wallet.count('eth_getTransactionCount')).toBeGreaterThan(1)
}

describe('a payment that was sent', () => {
  it('and is sped up in the wallet: the page follows the transaction that pays', async () => {
    const buyer = await payAndWait('faster')
    await isWatched(buyer)
    const faster = await buyer.wallet.speedUp(buyer.hash)
    await stage.chain.mine()
    await buyer.page.getByRole('heading', { name: 'The payment was replaced' }).waitFor({ timeout: 60_000 })
    expect(await shownHash(buyer)).toBe(faster)
    await buyer.page.reload()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(await shownHash(buyer)).toBe(faster)
    await buyer.close()
  })

  it('and is cancelled in the wallet: nothing was charged, and it can be tried again', async () => {
    const buyer = await payAndWait('cancelled')
    await isWatched(buyer)
    await buyer.wallet.cancel(buyer.hash)
    await stage.chain.mine()
    await buyer.page.getByRole('heading', { name: 'The payment was not made' }).waitFor({ timeout: 60_000 })
    await setAutomine(true)
    await buyer.page.getByRole('button', { name: 'Try again' }).click()
    await buyer.page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    expect(buyer.wallet.count('eth_sendTransaction')).toBe(2)
    await buyer.close()
  })

  it('and is replaced while the page is closed: the block in which it was is found afterwards', async () => {
    const buyer = await payAndWait('away')
    await isWatched(buyer)
    await buyer.page.goto('about:blank')
    await buyer.wallet.cancel(buyer.hash)
    await stage.chain.mine(20)
    await buyer.page.goBack()
    await buyer.page.getByRole('heading', { name: 'The payment was not made' }).waitFor({ timeout: 60_000 })
    await buyer.close()
  })

  it('and waits for a block for a minute: says what can be done, and to pay no second time', async () => {
    const buyer = await payAndWait('stuck', true)
    await buyer.page.clock.fastForward(61_000)
    await buyer.page.getByRole('heading', { name: 'has not included the payment yet' }).waitFor()
    const text = await buyer.page.locator('#stage').innerText()
    expect(text).toContain('Do not pay again')
    expect(text).toContain(buyer.hash)
    expect(await buyer.page.locator('.wallet, .qr').count()).toBe(0)
    await buyer.close()
  })

  it('is asked after no more while nobody sees the page', async () => {
    const buyer = await payAndWait('hidden', true)
    await isWatched(buyer)
    await buyer.page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
    const callsWithin = async (ms: number) => {
      const before = buyer.wallet.calls.length
      await buyer.page.clock.runFor(ms)
      return buyer.wallet.calls.length - before
    }
    // A request in progress may finish. No other request follows.
    await expect.poll(() => callsWithin(3_000)).toBe(0)
    expect(await callsWithin(10_000)).toBe(0)
    const asked = buyer.wallet.calls.length
    await buyer.page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
    await expect.poll(() => buyer.wallet.calls.length).toBeGreaterThan(asked)
    await buyer.close()
  })

  it('by a wallet that is gone after a reload: says after a minute that it takes long', async () => {
    const buyer = await payAndWait('no-wallet', true)
    const { page } = buyer
    await page.addInitScript(`dispatchEvent = () => true; delete window.ethereum
      addEventListener('eip6963:announceProvider', (event) => event.stopImmediatePropagation())`)
    await page.reload()
    await page.getByRole('heading', { name: 'Payment sent' }).waitFor()
    await page.clock.fastForward(61_000)
    await page.getByRole('heading', { name: 'has not included the payment yet' }).waitFor()
    await buyer.close()
  })

  it('point 44: none of this leaves an error in the console or a report of the policy', () => {
    expect(stage.problems).toEqual([])
  })
})
