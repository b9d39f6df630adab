import { readFileSync } from 'node:fs'
import { parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { addMember, logInOwner, openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks, violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService, startWithoutDeployer } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService({ settings: { SPLIT_CHANGE_DELAY: '1h' } }))
const browser = perFile(openBrowser)

const patience = { timeout: 60_000 }
const friend = () => privateKeyToAddress(generatePrivateKey())

test('point 52: saving waits for exactly 100.00 %, and rows that repeat or misspell an address are named', async () => {
  const { page, close } = await openSignedIn(browser, service, '/split/recipients')
  const save = page.getByRole('button', { name: 'Review change' })
  const share = (row: number) => page.getByLabel('Share in %').nth(row - 1)
  const address = (row: number) => page.getByLabel(`Address of recipient ${row}`)
  await address(1).waitFor()
  const remove = page.getByRole('button', { name: /^Remove recipient/ })
  while ((await remove.count()) > 0) await remove.last().click()
  const other = friend()
  await share(1).fill('60')
  await page.getByRole('button', { name: 'Add recipient' }).click()
  await address(2).fill(other)
  const fee = Number.parseFloat(
    await page
      .getByText(/^\d\.\d\d%$/)
      .first()
      .innerText(),
  )
  for (const off of [39.99 - fee, 40.01 - fee]) {
    await share(2).fill(off.toFixed(2))
    await page.getByText(/0\.01% (missing|too much)/).waitFor()
    expect(await save.isDisabled()).toBe(true)
  }
  await share(2).fill((40 - fee).toFixed(2))
  await page.getByText('Total 100.00%').waitFor()
  expect(await save.isEnabled()).toBe(true)

  await address(2).fill(await address(1).inputValue())
  await page.getByText('Row 2: this address is already in row 1').waitFor()
  expect(await save.isDisabled()).toBe(true)
  const swapped = other.replace(/[a-f]/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  await address(2).fill(swapped)
  await page.getByText('Row 2: the checksum is wrong').waitFor()
  expect(await save.isDisabled()).toBe(true)
  expect(await violations(page)).toEqual([])
  await close()
})

test('an owner configures the first split and follows its deployment', async () => {
  const { page, problems, close } = await openSignedIn(browser, service, '/split', {
    as: generatePrivateKey(),
  })
  await page.getByText('No recipients yet').waitFor()
  await page.getByRole('link', { name: 'Set up the split' }).click()
  await page.getByText('Total 100.00%').waitFor()
  await page.getByRole('button', { name: 'Save recipients' }).click()
  await page.getByRole('heading', { name: 'Current recipients' }).waitFor()
  await expect.poll(() => page.getByRole('heading', { name: 'Deploying the contract' }).count()).toBe(0)
  await page.getByText('99.50%').first().waitFor()
  // A merchant without a shop: the request for the shop's name returns 404.
  expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
  await close()
})

test('where the service deploys nothing, the owner deploys the first split from their own wallet', async () => {
  const others = await startWithoutDeployer(service)
  try {
    const key = generatePrivateKey()
    const owner = await openSignedIn(browser, others, '/split/recipients', { as: key })
    await service.send({ to: owner.wallet.address, value: parseEther('1') })
    await owner.page.getByRole('button', { name: 'Save recipients' }).click()
    await owner.page.getByRole('heading', { name: 'Deploying the contract' }).waitFor()
    const deploy = owner.page.getByRole('button', { name: 'Deploy · Merchant Wallet' })
    await deploy.waitFor()
    await owner.page.reload()
    await owner.page.getByRole('button', { name: 'Check who deploys it' }).click()
    await deploy.waitFor()
    expect(await violations(owner.page)).toEqual([])
    owner.wallet.refuse('eth_sendTransaction')
    await deploy.click()
    await owner.page.getByRole('alert').filter({ hasText: 'declined' }).waitFor()
    owner.wallet.accept('eth_sendTransaction')
    await deploy.click()
    await owner.page.getByRole('heading', { name: 'Current recipients' }).waitFor()
    await expect
      .poll(() => owner.page.getByRole('heading', { name: 'Deploying the contract' }).count(), patience)
      .toBe(0)
    expect((await owner.ask('GET', '/api/split/deploy')).body.split.deployed).toBe(true)
    expect(owner.wallet.count('eth_sendTransaction')).toBe(2)
    await owner.close()
  } finally {
    await others.stop()
  }
})

test('an owner previews a change of recipients, schedules it, and cancels it', async () => {
  await service.createReceipt('split-1', { lineItems: [{ label: 'Tea', amount: 20 }] })
  await service.pay('split-1')
  await expect.poll(() => service.status('split-1')).toMatch(/paid|reconciled/)
  const { page, problems, close } = await openSignedIn(browser, service, '/split')
  await page.getByRole('link', { name: 'split-1' }).waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download CSV' }).click(),
  ])
  expect(readFileSync(await file.path(), 'utf8')).toContain('split-1')
  await page.getByRole('link', { name: 'Change recipients' }).click()
  const rows = page.getByLabel(/^Address of recipient/)
  await rows.first().waitFor()
  const newcomer = friend()
  const before = Number(await page.getByLabel('Share in %').first().inputValue())
  await page
    .getByLabel('Share in %')
    .first()
    .fill((before - 10).toFixed(2))
  await page.getByRole('button', { name: 'Add recipient' }).click()
  await rows.last().fill(newcomer)
  await page.getByLabel('Share in %').last().fill('10')
  await page.getByRole('button', { name: 'Review change' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('region', { name: 'USDC' }).waitFor()
  expect(await dialog.innerText()).toMatch(/\+2\.00\sUSDC/)
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Schedule change' }).click()
  await page.getByRole('heading', { name: 'Scheduled change' }).waitFor()
  await page.getByText(newcomer).first().waitFor()
  await page.getByRole('button', { name: 'Cancel change' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel change' }).click()
  await expect.poll(() => page.getByRole('heading', { name: 'Scheduled change' }).count()).toBe(0)
  await page.getByRole('cell', { name: 'Cancelled' }).first().waitFor()
  expect(problems).toEqual([])
  await close()
})

test('what the contract holds is read through the wallet', async () => {
  const { page, close } = await openSignedIn(browser, service, '/split')
  await page.getByRole('button', { name: 'Read with Merchant Wallet' }).click()
  await page
    .getByText(/Nothing is held|Your wallet/)
    .last()
    .waitFor()
  await close()
})

test('point 57: a cashier sees neither Split nor Developers, and their addresses lead to the forbidden view', async () => {
  const owner = await logInOwner(service)
  const { page, ask, close } = await openSignedIn(browser, service, '/split', {
    as: await addMember(owner, 'cashier'),
  })
  await page.getByText('You do not have access').waitFor()
  expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual([
    'Receipts',
    'Terminal',
  ])
  expect((await ask('GET', '/api/split/deploy')).status).toBe(403)
  await page.getByText('You are signed in as Cashier').waitFor()
  expect(await violations(page)).toEqual([])
  await close()
})

test('point 33: the split has no violation, wide and narrow, light and dark', async () => {
  const { page, close } = await openSignedIn(browser, service, '/split')
  await page.getByRole('link', { name: 'split-1' }).waitFor()
  expect(await errorsInAllLooks(page)).toEqual([])
  await close()
})
