import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

const dialogs = [
  ['/team', 'Invite by link'],
  ['/team', 'Add a member'],
  ['/team', 'Change role'],
  ['/team', 'Remove'],
  ['/developers', 'Create key'],
  ['/products', 'Import CSV'],
  ['/security', 'End all my other sessions'],
] as const

test('point 33: dialogs and an order in full have no violation and fit, wide and narrow, light and dark', async () => {
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 320],
  ] as const) {
    const look = { colorScheme, viewport: { width, height: 900 } }
    const { page, ask, close } = await openSignedIn(browser, service, '/team', look)
    // Creates another session, so that a dialog can end it.
    await ask('POST', '/api/members', { wallet: service.buyer.address, role: 'viewer' })
    for (const [path, name] of dialogs) {
      await page.goto(`${service.baseUrl}/app${path}`)
      const opener = page.getByRole('button', { name, exact: true }).first()
      await opener.waitFor()
      if (!(await opener.isEnabled())) continue
      await opener.click()
      await page.getByRole('dialog').waitFor()
      expect(await violations(page), `${path} ${name}`).toEqual([])
      expect(await page.evaluate(overflow), `${path} ${name}`).toBe(0)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    const { items } = (await ask('GET', '/api/inventory?limit=1')).body
    const wanted = { items: [{ sku: items[0].sku, qty: 1 }], jurisdictionCode: 'US-CA' }
    const order = await ask('POST', '/api/orders', wanted)
    expect(order.status).toBe(201)
    await page.goto(`${service.baseUrl}/app/orders/${order.body.id}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0)
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(overflow)).toBe(0)
    await close()
  }
})
