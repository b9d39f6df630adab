import type { Browser } from 'playwright-core'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { launchBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { type LocalService, startLocalService } from '../support/service/local-service.ts'

let service: LocalService
let browser: Browser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startLocalService(), launchBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const valid = (id: string, onSuccess: unknown) => ({
  id,
  lineItems: [{ label: 'Tea', amount: 3.5 }],
  onSuccess,
})
const shop = 'https://shop.example/thanks'

async function post(body: object): Promise<{ status: number; text: string; paymentUrl: string }> {
  const response = await fetch(`${service.baseUrl}/api/receipts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'ocp-apim-subscription-key': service.subscriptionKey },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { ...JSON.parse(text), status: response.status, text }
}

async function openAndPay(id: string, onSuccess: string) {
  const { paymentUrl, status } = await post(valid(id, onSuccess))
  expect(status).toBe(201)
  const { recipient = '' } = Object.fromEntries(new URL(paymentUrl).searchParams)
  const buyer = await openAsBuyer(browser, `${paymentUrl}&token=ETH`)
  expect(await buyer.page.locator('iframe').count()).toBe(0)
  const frameUrl = `${service.baseUrl}/pay/${id}/on-success?recipient=${recipient}`
  expect((await fetch(frameUrl, { headers: { 'sec-fetch-dest': 'iframe' } })).status).toBe(404)
  const view = await fetch(`${service.baseUrl}/api/checkout/${id}?recipient=${recipient}`)
  const { attempt } = (await view.json()) as { attempt: { depositAddress: Hex; remaining: string } }
  await service.send({ to: attempt.depositAddress, value: BigInt(attempt.remaining) })
  await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor({ timeout: 60_000 })
  return buyer
}

row(
  'post-receipts.onSuccess',
  'redirects the buyer to a URL after payment, or runs a script in a frame without an origin',
  async () => {
    for (const onSuccess of [shop, `window.location = '${shop}'`]) {
      const { page, problems, close } = await openAndPay(`url-${onSuccess.length}`, onSuccess)
      expect(await page.locator('a[data-return]').getAttribute('href')).toBe(shop)
      expect(await page.locator('iframe').count()).toBe(0)
      expect(problems).toEqual([])
      await close()
    }

    const script = `document.title = JSON.stringify([origin, payment.receiptId, payment.amount, payment.currency])
      if (payment.status === 'paid') location.href = 'https://shop.example/' + payment.transactionHash`
    const { page, problems, close } = await openAndPay('script', script)
    const link = page.getByRole('link', { name: 'Continue to shop.example' })
    await link.waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await link.getAttribute('href')).toMatch(/^https:\/\/shop\.example\/0x[0-9a-f]{64}$/)
    const frame = page.frames().find((each) => each.url().includes('/on-success'))
    expect(JSON.parse((await frame?.title()) ?? '')).toEqual(['null', 'script', 3.5, 'USD'])
    expect(problems).toEqual([])
    await close()

    // Creating a receipt again returns the same receipt only if the script is the same.
    const first = await post(valid('same', script))
    expect(first.status).toBe(201)
    expect((await post(valid('same', script))).text).toBe(first.text)
    expect((await post(valid('same', `${script};1`))).status).toBe(409)
    for (const refused of [7, 'x'.repeat(4_001)])
      expect((await post(valid('refused', refused))).status).toBe(400)
  },
)
