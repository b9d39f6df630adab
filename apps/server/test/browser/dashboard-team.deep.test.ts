import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { addMember, logInOwner, openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks, violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)

test('an owner adds a member, changes the role, and removes a member together with the member’s keys', async () => {
  const { page, ask, problems, close } = await openSignedIn(browser, service, '/team')
  const wallet = privateKeyToAddress(generatePrivateKey())
  await page.getByRole('button', { name: 'Add a member' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Wallet').fill('0x12')
  await dialog.getByRole('button', { name: 'Add a member' }).click()
  await dialog.getByText('40 hexadecimal digits').waitFor()
  await dialog.getByLabel('Wallet').fill(wallet)
  await dialog.getByLabel('Role').selectOption('viewer')
  await dialog.getByRole('button', { name: 'Add a member' }).click()
  const row = page.getByRole('row').filter({ hasText: wallet })
  await row.getByText('Viewer').waitFor()
  await row.getByRole('button', { name: 'Change role' }).click()
  await dialog.getByLabel('Role').selectOption('developer')
  await dialog.getByRole('button', { name: 'Change role' }).click()
  await row.getByText('Developer').waitFor()
  expect(await violations(page)).toEqual([])

  const owner = await logInOwner(service)
  const key = await addMember(owner, 'developer')
  const developer = await logInOwner(service, key)
  await developer.send('POST', '/api/subscriptions', { name: 'Reports', scopes: ['receipts:read'] })
  await page.reload()
  const leaving = page.getByRole('row').filter({ hasText: privateKeyToAddress(key) })
  await leaving.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByText('Keep Reports').waitFor()
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('keys were revoked').waitFor()
  await expect.poll(() => leaving.count()).toBe(0)
  const { subscriptions } = (await ask('GET', '/api/subscriptions')).body
  expect(subscriptions.find(({ name }: { name: string }) => name === 'Reports').keys).toEqual([])
  expect(problems).toEqual([])
  await close()
})

test('point 60: a dialog before what cannot be undone keeps the focus, ends with Esc and gives the focus back', async () => {
  const { page, close } = await openSignedIn(browser, service, '/team')
  const remove = page.getByRole('button', { name: 'Remove' }).first()
  await remove.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('Tab')
    const isOutside = "document.activeElement !== document.body && !document.activeElement.closest('dialog')"
    expect(await page.evaluate(isOutside)).toBe(false)
  }
  await page.keyboard.press('Escape')
  await expect.poll(() => dialog.count()).toBe(0)
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Remove')
  await close()
})

test('a member lists and ends sessions, and the audit log records who ended them', async () => {
  await logInOwner(service)
  const { page, problems, close } = await openSignedIn(browser, service, '/security')
  await page.getByText('This session').waitFor()
  const rows = page.getByRole('region', { name: 'Sessions' }).last().getByRole('row')
  const before = await rows.count()
  await page.getByRole('button', { name: 'End', exact: true }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
  await expect.poll(() => rows.count()).toBe(before - 1)
  await page.getByRole('button', { name: 'End all my other sessions' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End all my other sessions' }).click()
  await expect.poll(() => rows.count()).toBeLessThan(before)
  await page.getByRole('list', { name: 'Audit log' }).getByText('member.removed').waitFor()
  expect(await violations(page)).toEqual([])
  expect(problems).toEqual([])
  await close()
})

test('settings open after the terminal, which reads them too', async () => {
  const { page, problems, close } = await openSignedIn(browser, service, '/terminal')
  await page.getByRole('button', { name: '00', exact: true }).waitFor()
  const sections = page.getByRole('navigation')
  await sections.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('region', { name: 'Tax rates' }).waitFor()
  await sections.getByRole('link', { name: 'Terminal' }).click()
  await page.getByRole('button', { name: '00', exact: true }).waitFor()
  expect(problems).toEqual([])
  await close()
})

test('settings are saved by group, and an error appears next to the rejected field', async () => {
  const { page, ask, problems, close } = await openSignedIn(browser, service, '/settings')
  const part = (name: string) => page.getByRole('region', { name })
  for (const [row, code] of ['US-NY', 'us-ny'].entries()) {
    await part('Tax rates').getByRole('button', { name: 'Add a rate' }).click()
    await page.getByLabel('Jurisdiction').nth(row).fill(code)
    await page.getByLabel('Rate in %').nth(row).fill('8.875')
  }
  await part('Tax rates').getByRole('button', { name: 'Save' }).click()
  const second = page.getByLabel('Jurisdiction').nth(1)
  await expect.poll(() => second.getAttribute('aria-invalid')).toBe('true')
  await page.getByRole('button', { name: /remove.*2/i }).click()
  await part('Tax rates').getByRole('button', { name: 'Save' }).click()
  const settings = async () => (await ask('GET', '/api/settings')).body.settings
  await expect.poll(async () => (await settings()).taxRates).toMatchObject([{ rate: 0.08875 }])
  expect(await violations(page)).toEqual([])
  expect(problems.filter((problem) => !problem.includes('400'))).toEqual([])
  await close()
})

test('point 33: team, security and settings have no violation and fit, wide and narrow, light and dark', async () => {
  const { page, close } = await openSignedIn(browser, service, '/team')
  for (const path of ['/team', '/security', '/settings', '/nowhere']) {
    await page.goto(`${service.baseUrl}/app${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0)
    expect(await errorsInAllLooks(page)).toEqual([])
  }
  await close()
})
