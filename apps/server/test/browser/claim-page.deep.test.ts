import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/kernel/api-error.ts'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { startPageHarness } from '../support/browser/page-harness.ts'
import { caseNumber, makeCase, makeClaimable } from '../support/browser/receipt-views.ts'
import { perFile } from '../support/per-file.ts'

const harness = perFile(startPageHarness)
const browser = perFile(openBrowser)

const payment = makeClaimable()
const found = `/claim?hash=${payment.transactionHash}`
const unknown = `/claim?hash=0x${'00'.repeat(32)}`
const refundAddress = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
describe('without scripts', () => {
  const open = (path: string) => openAsBuyer(browser, harness.url + path, { javaScriptEnabled: false })

  test('a payment is found, claimed with a contact, and followed', async () => {
    harness.claims.payments = [payment]
    harness.claims.made.length = 0
    harness.claims.cases.set(caseNumber, makeCase({ isProven: false }))
    const { page, close, problems } = await open('/claim')
    await page
      .getByLabel('Transaction hash')
      .fill(`  ${payment.transactionHash.toUpperCase().replace('0X', '0x')} `)
    await page.getByRole('button', { name: 'Find payment' }).click()
    await page.getByText('Payment found').waitFor()
    const text = await page.locator('main').innerText()
    for (const part of [
      'Payment found',
      '64.50 USDC',
      payment.payer ?? '',
      'Base',
      'Signing needs JavaScript',
    ])
      expect(text).toContain(part)
    await page.getByText('Paid from an exchange').click()
    await page.getByLabel('Wallet address for the refund').fill(refundAddress)
    await page.getByLabel('Contact details').last().fill('me@example.com')
    await page.getByLabel('Purchase details (optional)').last().fill('Order 7\nBlue, size M')
    await page.getByRole('button', { name: 'Send claim' }).click()
    await page.waitForURL(`**/claim/${caseNumber}`)
    expect(await page.locator('main').innerText()).toContain('Claim sent to the merchant')
    expect(harness.claims.made).toEqual([
      {
        transactionHash: payment.transactionHash,
        logIndex: 4,
        refundAddress,
        contact: 'me@example.com',
        note: 'Order 7\r\nBlue, size M',
        host: expect.any(String),
        address: expect.any(String),
      },
    ])
    expect(problems).toEqual([])
    await close()
  })

  test('one of several payments is chosen', async () => {
    harness.claims.payments = [payment, makeClaimable({ logIndex: 5, amount: '7000000' })]
    const { page, close } = await open(found)
    expect(await page.locator('.standing').innerText()).toBe('2 payments found')
    await page.getByRole('link', { name: 'This is my payment' }).nth(1).click()
    await page.getByText('Payment found').waitFor()
    const text = await page.locator('main').innerText()
    expect(text).toContain('7.00 USDC')
    expect(text).not.toContain('64.50 USDC')
    await close()
  })

  test('nothing found says what can have become of it, and what is no hash says so', async () => {
    const nothing = await open(unknown)
    expect(await nothing.page.locator('.reasons li').count()).toBe(4)
    await nothing.close()
    const bad = await open('/claim?hash=hello')
    expect(await bad.page.getByRole('alert').innerText()).toContain('not a transaction hash')
    expect(await bad.page.getByLabel('Transaction hash').getAttribute('aria-invalid')).toBe('true')
    await bad.close()
  })

  test('what is wrong is said at the field, and what was typed is still there', async () => {
    harness.claims.payments = [payment]
    const issues = ['refundAddress', 'contact'].map((path) => ({ path, message: 'no' }))
    harness.error.claim = new ApiError('invalid_input', 'no', { issues })
    const { page, close } = await open(found)
    await page.getByText('Paid from an exchange').click()
    await page.getByLabel('Wallet address for the refund').fill('my wallet')
    await page.getByLabel('Contact details').last().fill('<b>me</b>')
    await page.getByRole('button', { name: 'Send claim' }).click()
    expect(await page.getByRole('alert').innerText()).toMatch(
      /Enter your wallet address[\s\S]*Enter contact details/,
    )
    const field = page.getByLabel('Wallet address for the refund')
    expect([await field.inputValue(), await field.getAttribute('aria-invalid')]).toEqual([
      'my wallet',
      'true',
    ])
    expect(await page.getByLabel('Contact details').last().inputValue()).toBe('<b>me</b>')
    harness.error.claim = new ApiError('invalid_input', 'full', { issues: [{ path: '', message: 'full' }] })
    await field.fill(refundAddress)
    await page.getByRole('button', { name: 'Send claim' }).click()
    await page.getByRole('alert').filter({ hasText: 'already been claimed several times' }).waitFor()
    delete harness.error.claim
    await close()
  })
})

describe('the form', () => {
  const send = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${harness.url}/claim`, {
      method: 'POST',
      redirect: 'manual',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
  const good = new URLSearchParams({
    hash: payment.transactionHash,
    log: '4',
    refundAddress,
    contact: 'me@example.com',
    note: '',
  }).toString()

  test('is not taken from a page of another site', async () => {
    harness.claims.payments = [payment]
    harness.claims.made.length = 0
    for (const site of ['cross-site', 'same-site'])
      expect((await send(good, { 'sec-fetch-site': site })).status).toBe(404)
    expect(harness.claims.made).toEqual([])
    const own = await send(good, { 'sec-fetch-site': 'same-origin' })
    expect([own.status, own.headers.get('location')]).toEqual([303, `/claim/${caseNumber}`])
  })

  test.each([
    ['', 'nothing'],
    ['hash=%00&log=x&refundAddress=%ff%fe', 'no text'],
    [`${good}&hash=hello&log=99999999999999999999`, 'the same twice'],
    [`a=${'a'.repeat(15_000)}`, 'a lot'],
  ])('with %j is answered with a page: %s', async (body) => {
    const response = await send(body)
    expect([200, 303, 400, 404]).toContain(response.status)
    expect(response.headers.get('content-type') ?? 'text/html').toContain('text/html')
  })

  test('beyond its size, or as another type, is refused before it is read', async () => {
    expect((await send(`a=${'a'.repeat(20_000)}`)).status).toBeGreaterThanOrEqual(400)
    expect((await send('{}', { 'content-type': 'application/xml' })).status).toBeGreaterThanOrEqual(400)
  })

  test('may be sent to the service itself and nowhere else; a case has no form', async () => {
    const policy = async (path: string) =>
      (await fetch(harness.url + path)).headers.get('content-security-policy')
    expect(await policy('/claim')).toContain("form-action 'self'")
    harness.claims.cases.set(caseNumber, makeCase())
    expect(await policy(`/claim/${caseNumber}`)).toContain("form-action 'none'")
  })
})

test('what is typed comes back as text', async () => {
  const evil = `"><script>window.hacked=1</script><img src=x onerror="window.hacked=1">`
  const seen = await openAsBuyer(
    browser,
    `${harness.url}/claim?hash=${encodeURIComponent(evil)}&lang=${encodeURIComponent(evil)}`,
  )
  expect(await seen.page.evaluate('window.hacked')).toBeUndefined()
  expect(await seen.page.locator('img').count()).toBe(0)
  expect(seen.problems).toEqual([])
  await seen.close()
})

test('a case nobody has is not found, and tells nothing', async () => {
  for (const id of ['C-00000000000000000000000000', encodeURIComponent('<script>'), '..%2f..']) {
    const response = await fetch(`${harness.url}/claim/${id}`)
    expect([id, response.status]).toEqual([id, 404])
  }
})
