import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openSignedIn } from '../support/browser/signed-in.ts'
import { errorsInAllLooks, violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)
const open = (path: string) => openSignedIn(browser, service, path)
const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

test('price, stock and tax are changed where they stand, and what is no number is not sent', async () => {
  const shop = await open('/products')
  const { page } = shop
  const price = page.getByLabel('Price of Gift card in US dollars')
  await price.fill('12,5x')
  await price.press('Enter')
  await page.getByText('Enter an amount such as 12.50').waitFor()
  await price.fill('27,50')
  await price.press('Enter')
  await page.getByText('Gift card saved').waitFor()
  const stock = page.getByLabel('Stock of Gift card')
  expect(await stock.inputValue()).toBe('')
  await stock.fill('7')
  await stock.press('Enter')
  const item = async () => (await shop.ask('GET', '/api/inventory?q=gift-card')).body.items[0]
  await expect.poll(item).toMatchObject({ priceUsd: 27.5, stockQty: 7, taxable: false })
  await page.getByText('Gift card saved').last().waitFor()
  await stock.fill('')
  await stock.press('Enter')
  await page.getByLabel('Gift card is taxable').click()
  await expect.poll(item).toMatchObject({ priceUsd: 27.5, stockQty: -1, taxable: true })
  expect(shop.problems).toEqual([])
  await shop.close()
})

test('point 47: search, filters and sort are in the address, and back restores them', async () => {
  const shop = await open('/products?sort=priceUsd&order=desc')
  const { page } = shop
  const names = () => page.getByRole('rowheader').getByRole('link').allInnerTexts()
  await expect.poll(async () => (await names())[0]).toBe('Hand grinder')
  expect(await page.getByRole('columnheader', { name: 'Price' }).getAttribute('aria-sort')).toBe('descending')
  await page.getByRole('searchbox').fill('paper')
  await page.waitForURL(/q=paper/)
  await expect.poll(names).toEqual(['Paper filters, 100'])
  await page.getByLabel('Stock', { exact: true }).selectOption('out')
  await page.getByText('No products found').waitFor()
  await page.goBack()
  await expect.poll(names).toEqual(['Paper filters, 100'])
  await page.reload()
  await expect.poll(names).toEqual(['Paper filters, 100'])
  expect(await page.getByRole('searchbox').inputValue()).toBe('paper')
  expect(shop.problems).toEqual([])
  await shop.close()
})

test('point 58: a field that the service refuses is the field that says so', async () => {
  const shop = await open('/products/new')
  const { page } = shop
  await page.getByLabel('Name').fill('Lamp')
  await page.getByLabel('SKU').fill('gift-card')
  await page.getByLabel('Price in US dollars').fill('40')
  await page.getByLabel('Images').fill('http://example.com/lamp.png')
  await page.getByRole('button', { name: 'Add product' }).click()
  await page.getByText('Another product has this SKU').waitFor()
  await page.getByLabel('SKU').fill('lamp')
  await page.getByRole('button', { name: 'Add product' }).click()
  await expect.poll(() => page.getByLabel('Images').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Images').fill('')
  await page.getByLabel('Details').fill('Colour: blue\nWatts: 12')
  await page.getByLabel('Tags').fill('light, featured')
  await page.getByRole('button', { name: 'Add product' }).click()
  await page.getByText('Lamp added').waitFor()
  const { body } = await shop.ask('GET', '/api/inventory?q=lamp')
  expect(body.items[0]).toMatchObject({
    name: 'Lamp',
    priceUsd: 40,
    stockQty: -1,
    attributes: { Colour: 'blue', Watts: 12 },
    tags: ['light', 'featured'],
  })
  await shop.close()
})

test('point 60: archiving asks first, in a dialog that Esc closes and that gives the focus back', async () => {
  const shop = await open('/products?q=kettle')
  const { page } = shop
  await page.getByRole('link', { name: 'Gooseneck kettle' }).click()
  const archive = page.getByRole('button', { name: 'Archive' })
  await archive.click()
  const dialog = page.getByRole('dialog', { name: 'Archive Gooseneck kettle?' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Archive')
  await archive.click()
  await dialog.getByRole('button', { name: 'Archive' }).click()
  await page.getByText('Gooseneck kettle archived').waitFor()
  await page.goto(`${service.baseUrl}/app/products?status=archived`)
  await page.getByRole('link', { name: 'Gooseneck kettle' }).click()
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByText('restored as a draft').waitFor()
  await shop.close()
})

test('a CSV file with faulty rows changes nothing and names each; mended, by commas or semicolons, it is imported', async () => {
  const shop = await open('/products')
  const { page } = shop
  await page.getByRole('button', { name: 'Import CSV' }).click()
  const chooser = page.getByLabel('Choose a CSV file')
  await chooser.setInputFiles(file('bad.csv', 'sku,name,priceUsd\nnew-1,One,5\nnew-2,Two,abc\n,Three,1\n'))
  await page.getByText('bad.csv was not imported').waitFor()
  const row = page.getByRole('dialog').getByRole('row')
  expect(await row.nth(1).innerText()).toMatch(/3\s+priceUsd\s+must be a number/)
  expect(await row.nth(2).innerText()).toMatch(/4\s+sku/)
  expect((await shop.ask('GET', '/api/inventory?q=new-')).body.total).toBe(0)
  await chooser.setInputFiles(file('good.csv', 'sku;name;priceUsd\r\nnew-1;=One;5,25\r\nnew-2;Two;6\r\n'))
  await page.getByText('2 products added').waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: '=One' }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  expect((await download).suggestedFilename()).toBe('inventory.csv')
  const chunks: Buffer[] = []
  for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer)
  expect(Buffer.concat(chunks).toString()).toContain("new-1,'=One,")
  expect(shop.problems).toEqual([])
  await shop.close()
})

test('point 49: who may not read products is told so, and a list that is empty says what to do', async () => {
  const shop = await open('/products?q=nothing-like-this')
  await shop.page.getByRole('button', { name: 'Clear filters' }).click()
  await shop.page.getByRole('link', { name: 'Gift card' }).waitFor()
  await shop.page.route('**/api/inventory?*', (route) =>
    route.fulfill({ status: 403, json: { error: 'forbidden', message: 'The role is not allowed' } }),
  )
  await shop.page.reload()
  await shop.page.getByText('You do not have access').waitFor()
  await shop.close()
})

test('point 33: the list and the form of products have no violation, wide and narrow, light and dark', async () => {
  const shop = await openSignedIn(browser, service, '/products')
  await shop.page.getByRole('rowheader').first().waitFor()
  expect(await errorsInAllLooks(shop.page)).toEqual([])
  await shop.page.goto(`${service.baseUrl}/app/products/new`)
  await shop.page.getByRole('heading', { level: 1 }).waitFor()
  expect(await errorsInAllLooks(shop.page)).toEqual([])
  await shop.close()
})
