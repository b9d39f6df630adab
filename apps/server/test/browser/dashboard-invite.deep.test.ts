import { generatePrivateKey } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { logInOwner, openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks, violations } from '../support/browser/violations.ts'
import { TestWallet } from '../support/chain/test-wallet.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService({ settings: { SIGNUPS: 'invited' } }))
const browser = perFile(openBrowser)

function openLink(url: string, privateKey = generatePrivateKey()) {
  const wallet = new TestWallet({ name: 'New Wallet', privateKey, rpcUrl: service.rpcUrl })
  return openAsBuyer(browser, url, { wallets: [wallet] })
}

async function invite(role = 'viewer', owner = logInOwner(service)) {
  const { url, invitation } = await (await owner).send('POST', '/api/members/invitations', { role })
  return { url: url as string, id: invitation.id as string }
}

test('an owner creates an invitation link, which is shown once, and withdraws another invitation', async () => {
  const { page, problems, close } = await openSignedIn(browser, service, '/team')
  const make = async (role: string) => {
    await page.getByRole('button', { name: 'Invite by link' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Role').selectOption(role)
    await dialog.getByLabel('Valid for').selectOption('1')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const link = await dialog.locator('code').innerText()
    await dialog.getByRole('img', { name: 'QR code for the invitation link' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'I have sent it' }).click()
    return link
  }
  const link = await make('cashier')
  expect(link).toMatch(/\/app\/invite#inv_[\w-]{43}$/)
  const withdrawn = await make('admin')
  const open = page.getByRole('region', { name: 'Open invitations' }).first()
  await open.getByRole('row').filter({ hasText: 'Cashier' }).waitFor()
  expect(await page.locator('body').innerText()).not.toContain(link)
  await open.getByRole('row').filter({ hasText: 'Admin' }).getByRole('button', { name: 'Withdraw' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await page.getByText('Invitation withdrawn').waitFor()
  await expect.poll(() => open.getByRole('row').filter({ hasText: 'Admin' }).count()).toBe(0)

  const guest = await openLink(link)
  await guest.page.getByRole('heading', { name: 'invites you to join the team' }).waitFor()
  await guest.page.getByText('you sell with the terminal').waitFor()
  await guest.page.getByRole('button', { name: 'Sign in with New Wallet' }).click()
  await guest.page.getByRole('button', { name: '00', exact: true }).waitFor()
  await guest.page.getByText(/^Welcome to .*Cashier$/).waitFor()
  expect(new URL(guest.page.url()).hash).toBe('')
  const nav = guest.page.getByRole('navigation').getByRole('link')
  expect(await nav.allInnerTexts()).toEqual(['Receipts', 'Terminal'])

  await guest.page.goto(link)
  await guest.page.getByRole('heading', { name: 'This invitation has already been used' }).waitFor()
  await guest.close()
  const late = await openLink(withdrawn)
  await late.page.getByRole('heading', { name: 'This invitation was withdrawn' }).waitFor()
  await late.close()
  expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
  await close()
})

test('a link that never was, and one that is withdrawn meanwhile, have words of their own', async () => {
  const nobody = await openLink(`${service.baseUrl}/app/invite#inv_of-nobody`)
  await nobody.page.getByRole('heading', { name: 'Invitation not found' }).waitFor()
  await nobody.page.goto(`${service.baseUrl}/app/invite`)
  await nobody.page.getByRole('heading', { name: 'Invitation not found' }).waitFor()
  await nobody.close()

  const { url, id } = await invite()
  const guest = await openLink(url)
  await guest.page.getByRole('button', { name: 'Sign in with New Wallet' }).waitFor()
  await (await logInOwner(service)).send('DELETE', `/api/members/invitations/${id}`)
  await guest.page.getByRole('button', { name: 'Sign in with New Wallet' }).click()
  await guest.page.getByRole('heading', { name: 'This invitation was withdrawn' }).waitFor()
  await guest.close()
})

test('a member who opens a link keeps the role, is told so, and comes in by it', async () => {
  const { url } = await invite('viewer')
  const member = await openLink(url, service.merchant.privateKey)
  await member.page.getByRole('button', { name: 'Sign in with New Wallet' }).click()
  await member.page.getByText('is already a member').waitFor()
  await member.page.getByRole('button', { name: 'Sign in with New Wallet' }).click()
  await member.page.getByText(/^Welcome to .*Owner$/).waitFor()
  await member.close()
  const other = await openLink(url)
  await other.page.getByRole('button', { name: 'Sign in with New Wallet' }).click()
  await other.page.getByText(/^Welcome to .*Viewer$/).waitFor()
  await other.close()
})

test('point 33: an invitation has no violation and fits, wide and narrow, light and dark', async () => {
  const { url } = await invite('cashier')
  const wallet = new TestWallet({ privateKey: generatePrivateKey(), rpcUrl: service.rpcUrl })
  const { page, close } = await openAsBuyer(browser, url, { wallets: [wallet] })
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await errorsInAllLooks(page)).toEqual([])
  await close()
})
