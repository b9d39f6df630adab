import { createHmac, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startWebhookReceiver } from '../support/api/webhooks.ts'
import { openBrowser } from '../support/browser/browser.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks, violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)
const receiver = perFile(startWebhookReceiver)

const copying = { permissions: ['clipboard-read', 'clipboard-write'] }

async function payReported(): Promise<string> {
  receiver.behave = () => 200
  const id = `hook-${randomUUID()}`
  const lineItems = [{ label: 'Tea', amount: 5 }]
  await service.createReceipt(id, { lineItems, webhook_url: `${receiver.url}/${id}` })
  await service.pay(id)
  return id
}

test('a key is shown in full once and can be copied; to revoke it, a member must type its name', async () => {
  const { page, problems, close } = await openSignedIn(browser, service, '/developers', copying)
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Till <1>')
  await dialog.getByLabel('receipts:read').check()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'Till <1>: copy your keys now' }).waitFor()
  const key = await dialog.locator('code').first().innerText()
  // Only the dialog's own button closes it.
  for (const pressed of ['Escape', 'Escape', 'Alt+ArrowLeft', 'Control+k']) await page.keyboard.press(pressed)
  expect(await page.getByRole('combobox').count()).toBe(0)
  expect(await dialog.locator('code').first().isVisible()).toBe(true)
  await dialog.getByRole('button', { name: 'Copy' }).first().click()
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(key)
  const asks = () =>
    fetch(`${service.baseUrl}/api/receipts`, { headers: { 'ocp-apim-subscription-key': key } })
  expect((await asks()).status).toBe(200)
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'I have copied them' }).click()
  await expect.poll(() => page.locator('body').innerText()).not.toContain(key)
  await page.reload()
  const card = page.getByRole('region', { name: 'Till <1>' })
  await card.waitFor()
  expect(await page.locator('body').innerText()).not.toContain(key)
  expect(await card.innerText()).toContain(key.slice(-4))

  await card.getByRole('button', { name: 'Revoke' }).click()
  const revoke = dialog.getByRole('button', { name: 'Revoke' })
  expect(await revoke.isDisabled()).toBe(true)
  await dialog.getByLabel('Type Till <1> to confirm').fill('Till')
  expect(await revoke.isDisabled()).toBe(true)
  await dialog.getByLabel('Type Till <1> to confirm').fill('Till <1>')
  await revoke.click()
  await card.getByText('Revoked').waitFor()
  expect((await asks()).status).toBe(401)
  expect(problems).toEqual([])
  await close()
})

test('a rotated key stops working, and the new key is shown once', async () => {
  const { page, ask, close } = await openSignedIn(browser, service, '/developers')
  const { body } = await ask('POST', '/api/subscriptions', { name: 'Shop', scopes: ['receipts:read'] })
  await page.reload()
  const card = page.getByRole('region', { name: 'Shop' })
  await card.getByRole('button', { name: 'Rotate' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('heading', { name: 'Shop: copy your keys now' }).waitFor()
  const fresh = await page.getByRole('dialog').locator('code').first().innerText()
  const status = async (key: string) =>
    (await fetch(`${service.baseUrl}/api/receipts`, { headers: { 'ocp-apim-subscription-key': key } })).status
  expect(await status(fresh)).toBe(200)
  expect(await status(body.primaryKey)).toBe(401)
  await close()
})

test('Resend adds an attempt within 6 s with the same idempotency key, and the copied delivery verifies', async () => {
  const id = await payReported()
  const received = () => receiver.received.filter(({ path }) => path === `/${id}`)
  await expect.poll(() => received().length).toBeGreaterThan(0)
  const { page, problems, close } = await openSignedIn(browser, service, '/developers/deliveries', copying)
  await page.getByRole('link', { name: id }).first().click()
  await page.getByRole('heading', { name: 'Delivery', exact: true }).waitFor()
  await page.getByRole('cell', { name: 'HTTP 200' }).first().waitFor()
  const attempts = () => page.getByRole('region', { name: 'Attempts' }).last().getByRole('row').count()
  const before = await attempts()
  await page.evaluate("performance.mark('pressed')")
  await page.getByRole('button', { name: 'Resend' }).click()
  await expect.poll(attempts).toBe(before + 1)
  const tookMs = await page.evaluate<number>(
    "performance.now() - performance.getEntriesByName('pressed')[0].startTime",
  )
  expect(tookMs).toBeLessThan(6_000)
  // The reconciliation webhook may arrive at any time, with its own idempotency key.
  const reported = Map.groupBy(received(), ({ headers }) => headers['x-service-idempotency-key'])
  const sameKey = [...reported.values()].map((attempts) => attempts.map(({ body }) => body.toString()))
  expect(sameKey.some(({ length }) => length > 1)).toBe(true)
  for (const bodies of sameKey) expect(new Set(bodies).size).toBe(1)

  const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
  const copy = async (figure: string) => {
    await page.evaluate("navigator.clipboard.writeText('')")
    await page.getByRole('figure', { name: figure }).getByRole('button', { name: 'Copy' }).click()
    await expect.poll(clipboard).not.toBe('')
    return clipboard()
  }
  const body = await copy('Body')
  const headers = await copy('Headers')
  const expected = createHmac('sha256', service.subscriptionKey).update(body).digest('hex')
  expect(headers.toLowerCase()).toContain(`x-service-signature: sha256=${expected}`)
  expect(await violations(page)).toEqual([])
  expect(problems).toEqual([])
  await close()
})

test('the grader says which check a receiver does not pass, and what to do', async () => {
  receiver.behave = () => 200
  const { page, close } = await openSignedIn(browser, service, '/developers/webhook-test')
  await page.getByLabel('Webhook endpoint URL').fill(`${receiver.url}/graded`)
  await page.getByRole('button', { name: 'Run checks' }).click()
  await page.getByRole('heading', { name: /checks? failed/ }).waitFor()
  await page.getByText('Rejects a wrong signature').waitFor()
  expect(await violations(page)).toEqual([])
  await close()
})

test('the developer screens show events, requests with correlation ids, and snippets with the id of the key', async () => {
  const id = await payReported()
  const { page, ask, close } = await openSignedIn(browser, service, '/developers/events')
  await page.getByText(id).first().waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole('link', { name: 'Requests' }).click()
  await page
    .getByRole('cell', { name: /^[0-9a-f]{8}-/ })
    .first()
    .waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole('link', { name: 'Snippets' }).click()
  const { subscriptions } = (await ask('GET', '/api/subscriptions')).body
  const active = subscriptions.filter(({ revokedAt }: { revokedAt: unknown }) => revokedAt === null).at(-1)
  await page.getByRole('figure', { name: 'curl' }).getByText(active.keys[0].id).waitFor()
  expect(await violations(page)).toEqual([])
  await close()
})

test('point 33: the screens for developers have no violation and fit, wide and narrow, light and dark', async () => {
  const { page, close } = await openSignedIn(browser, service, '/developers')
  for (const path of ['', '/deliveries', '/webhook-test', '/events', '/requests', '/snippets']) {
    await page.goto(`${service.baseUrl}/app/developers${path}`)
    await page.getByRole('heading', { name: 'Developers' }).waitFor()
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0)
    expect(await errorsInAllLooks(page)).toEqual([])
  }
  await close()
}, 120_000)
