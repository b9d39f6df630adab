import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { TestWallet } from '../support/chain/test-wallet.ts'
import { type LocalService, startLocalService } from '../support/service/local-service.ts'

let service: LocalService
let browser: TestBrowser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startLocalService(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const settled = { timeout: 60_000 }
const call = async <T>(path: string): Promise<T> => {
  const headers = { 'ocp-apim-subscription-key': service.subscriptionKey }
  return (await (await fetch(service.baseUrl + path, { headers })).json()) as T
}

describe('the demo shop as it is after the first start', () => {
  it('is browsed, searched, bought from with a wallet in the browser, and paid over the chain once', async () => {
    const wallet = new TestWallet({ privateKey: service.buyer.privateKey, rpcUrl: service.rpcUrl })
    const { page, problems, close } = await openAsBuyer(browser, `${service.baseUrl}/shop/demo`, {
      wallets: [wallet],
    })
    expect(await page.locator('.entry').count()).toBeGreaterThanOrEqual(12)
    await page.getByRole('searchbox').fill('grinder')
    await page.getByRole('searchbox').press('Enter')
    await page.getByRole('button', { name: /^Add: .*grinder/i }).click()
    await page.getByText('is in your cart.').waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Cart: 1 item' }).click()
    await page.getByLabel('Country or region (for tax)').selectOption({ label: 'California' })
    await page.getByText('Tax', { exact: true }).waitFor()
    const total = await page.locator('.total dd').innerText()
    await page.getByRole('button', { name: 'Check out' }).dblclick()
    await page.waitForURL(/\/pay\/R-\w{26}$/)
    const id = page.url().split('/').at(-1) ?? ''
    expect(await page.locator('body').innerText()).toContain(total)
    await page.getByRole('button', { name: `Pay with ${wallet.name}` }).click()
    await page.getByRole('button', { name: 'Pay with one signature' }).click()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor(settled)
    expect(['paid', 'reconciled']).toContain(await service.status(id))
    const order = await call(`/api/orders/${id}`)
    expect(order).toMatchObject({ jurisdictionCode: 'US-CA', metadata: { storefront: 'demo' } })
    expect((await call<{ orders: unknown[] }>('/api/orders')).orders).toHaveLength(1)
    await page.goto(`${service.baseUrl}/shop/demo`)
    expect(await page.getByRole('status').innerText()).toBe('Thank you! Your order is paid.')
    expect(await page.locator('#cart-link').getAttribute('aria-label')).toBe('Cart: empty')
    expect(problems).toEqual([])
    await close()
  })

  it('is bought from without scripts, up to an address that a plain transfer pays', async () => {
    const { page, close } = await openAsBuyer(browser, `${service.baseUrl}/shop/demo`, {
      javaScriptEnabled: false,
    })
    await page.getByRole('link', { name: /Blends/ }).click()
    await page.getByRole('button', { name: /^Add:/ }).first().click()
    await page.getByRole('button', { name: 'Check out' }).click()
    await page.waitForURL(/\/R-\w{26}$/)
    const id = page.url().split('/').at(-1) ?? ''
    expect(await page.locator('.qr').count()).toBeGreaterThan(0)
    type Offered = { attempt: { depositAddress: string; remaining: string } }
    const { attempt } = await call<Offered>(`/api/checkout/${id}`)
    const args = [attempt.depositAddress as Hex, BigInt(attempt.remaining)] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
    await service.send({ to: service.tokens.USDC, data })
    await expect.poll(() => service.status(id)).toMatch(/paid|reconciled/)
    await page.goto(`${service.baseUrl}/shop/demo/cart`)
    expect(await page.locator('#cart').innerText()).toContain('Thank you! Your order is paid.')
    await close()
  })
})
