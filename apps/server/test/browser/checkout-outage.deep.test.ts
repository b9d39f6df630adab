import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { LocalJson } from '../../src/local/local-settings.ts'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { markWhenShown, openAsBuyer, shownAt } from '../support/browser/checkout-browser.ts'
import type { DataCopy } from '../support/kill/data.ts'
import { freezePostgres } from '../support/kill/parts.ts'
import { callerOf, copySeededData } from '../support/kill/seeded.ts'
import { readLocal, type ServiceProcess, spawnService } from '../support/kill/service.ts'
import { findServicePort } from '../support/programs/service-port.ts'

const limitMs = 300_000

let data: DataCopy
let service: ServiceProcess
let local: LocalJson
let browser: TestBrowser
let thaw = () => {}
beforeAll(async () => {
  data = await copySeededData()
  service = spawnService({ dataDir: data.dataDir, port: await findServicePort() })
  ;[browser] = await Promise.all([openBrowser(), service.ready])
  local = await readLocal(data.dataDir)
}, limitMs)
afterEach(() => {
  thaw()
  thaw = () => {}
})
afterAll(async () => {
  await browser?.close()
  service?.signal('SIGTERM')
  await service?.ended
  await data?.remove()
}, limitMs)

async function openReceipt(id: string) {
  const body = { id, lineItems: [{ label: 'Thing', priceUsd: 5 }], totalUsd: 5 }
  const { paymentUrl } = (await callerOf(local)('POST', '/api/receipts', { body })).body
  const buyer = await openAsBuyer(browser, paymentUrl)
  await buyer.page.locator('.code.link svg').waitFor()
  await markWhenShown(buyer.page, 'cannot be reached')
  return { buyer, paymentUrl }
}

test(
  'point 30: a page says within five seconds that the database stands still, and goes on when it does',
  async () => {
    const { buyer, paymentUrl } = await openReceipt('still')
    const frozenAt = Date.now()
    thaw = freezePostgres(data)
    await buyer.page.locator('#offline:visible').waitFor({ timeout: 60_000 })
    expect((await shownAt(buyer.page)) - frozenAt).toBeLessThanOrEqual(5_000)
    expect(await buyer.page.locator('.code.link svg').isVisible()).toBe(true)
    const opened = await fetch(paymentUrl)
    expect(opened.status).toBe(503)
    expect(await opened.text()).toContain('Do not pay again')

    thaw()
    thaw = () => {}
    await buyer.page.locator('#offline').waitFor({ state: 'hidden', timeout: 60_000 })
    await buyer.close()
  },
  limitMs,
)

test(
  'point 30: a page says within five seconds that the service hangs, and goes on by itself when it does',
  async () => {
    const { buyer } = await openReceipt('hangs')
    const hungAt = Date.now()
    thaw = () => service.signal('SIGCONT')
    service.signal('SIGSTOP')
    await buyer.page.locator('#offline:visible').waitFor({ timeout: 60_000 })
    expect((await shownAt(buyer.page)) - hungAt).toBeLessThanOrEqual(5_000)
    expect(await buyer.page.locator('.code.link svg').isVisible()).toBe(true)

    thaw()
    thaw = () => {}
    await buyer.page.locator('#offline').waitFor({ state: 'hidden', timeout: 60_000 })
    expect(await buyer.page.locator('h2').first().innerText()).toMatch(/^Pay /)
    await buyer.close()
  },
  limitMs,
)
