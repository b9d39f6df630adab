import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { describe, expect, test } from 'vitest'
import { joinPdf, readPdf } from '../../../test/support/browser/read-pdf.ts'
import { makeLines, makeReceiptView, makeTracker } from '../../../test/support/browser/receipt-views.ts'
import type { ReceiptView } from '../../payments/tracking/receipt-view.ts'
import { translator } from '../messages/translator.ts'
import { FontBook } from '../pdf/font-book.ts'
import { receiptPdf } from './receipt-pdf.ts'

const book = new FontBook()
const url = 'https://pay.example.com/receipt/R-4821?recipient=0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const make = (changes: Partial<ReceiptView> = {}) =>
  receiptPdf(book, makeReceiptView(changes), translator('en'), url)

describe('the text', () => {
  test('has brand, status, lines, tax, total, rate, payer, hash, way of the money, number and address', async () => {
    const pages = await readPdf(await make())
    expect(pages).toHaveLength(1)
    const text = joinPdf(pages)
    for (const part of [
      'Receipt from Nordlys Coffee',
      'Paid',
      'R-4821',
      '21 Nov 2025, 08:01 UTC',
      'Ethiopia Guji, 1 kg',
      '$64.00',
      'Tax (7.5%, US-CA)',
      '$6.50',
      '$93.00',
      '1 USDC = $1.00',
      'median',
      '93.00 USDC',
      '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
      `0x${'7d2f40c1'.repeat(8)}`,
      `https://basescan.org/tx/0x${'7d2f40c1'.repeat(8)}`,
      'Payment progress',
      'Distributed',
      url,
      'Page 1 of 1',
    ])
      expect(text).toContain(part)
  })

  test('has both currencies, the fixed rate and refunds where there are some', async () => {
    const text = joinPdf(
      await readPdf(
        await make({
          currency: 'EUR',
          totals: { total: 80.4, totalUsd: 87.2, feeUsd: 0.44, customerTotalUsd: 87.64 },
          valuation: {
            unit: 'EUR',
            usdPerUnit: 1.0846,
            quotedAt: Date.UTC(2025, 10, 21, 8),
            provider: 'ecb',
          },
          standing: 'partly-refunded',
          refunds: [
            { kind: 'price', usd: 20, transactionHash: `0x${'ab'.repeat(32)}`, state: 'confirmed', at: 0 },
          ],
        }),
      ),
    )
    for (const part of ['€80.40', '$87.20', '$0.44', '$87.64', '1 EUR = $1.0846', 'ecb', 'Refund of $20.00'])
      expect(text).toContain(part)
    expect(text).toContain(`0x${'ab'.repeat(32)}`)
    expect(text).toContain('Paid, partially refunded')
  })

  test('is drawn although a font cannot shape a part of it', async () => {
    const lines = makeLines(1).map((line) => ({ ...line, label: 'Tea \u0628\u0615 green' }))
    const text = joinPdf(await readPdf(await make({ lines })))
    expect(text).toContain('Tea')
    expect(text).toContain('green')
    expect(text).toContain(translator('en').text('receipt.replaced'))
  })

  test('has the buyer only where the view has', async () => {
    const buyer = { name: 'Ada Lovelace', email: 'ada@example.com', phone: null, address: ['London'] }
    expect(joinPdf(await readPdf(await make({ buyer })))).toContain('ada@example.com')
    expect(joinPdf(await readPdf(await make()))).not.toContain('@')
  })

  test('has names in Greek, Cyrillic, Chinese, Japanese and Korean so that they can be searched', async () => {
    const labels = [
      'Ελληνικός καφές',
      'Кофе по-восточному',
      '云南小粒咖啡豆',
      'コーヒー豆',
      '원두커피 블렌드',
    ]
    const lines = labels.map((label) => ({ label, qty: 1, amount: 1 }))
    const text = joinPdf(await readPdf(await make({ lines })))
    for (const label of labels) expect(text).toContain(label)
    expect(text).not.toContain('question marks')
  })

  test('has names in Hebrew, Thai and Hindi, all of their signs, in a small file', async () => {
    const labels = ['קפה שחור (250 גרם)', 'กาแฟคั่วบด', 'कॉफ़ी बीन्स']
    const pdf = await make({ lines: labels.map((label) => ({ label, qty: 1, amount: 1 })) })
    const text = joinPdf(await readPdf(pdf))
    const signs = new Set(text)
    for (const sign of labels.join('')) expect([sign, signs.has(sign)]).toEqual([sign, true])
    expect(text).not.toContain('question marks')
    expect(pdf.length).toBeLessThan(150_000)
  })

  test('says so where a sign cannot be drawn', async () => {
    const text = joinPdf(await readPdf(await make({ lines: [{ label: 'ᚠᚢᚦᚨ', qty: 1, amount: 1 }] })))
    expect(text).toContain('????')
    expect(text).toContain('question marks')
  })
})

describe('the pages', () => {
  test('are one for fifteen lines, billing address and a refund', async () => {
    const buyer = {
      name: 'Ada Lovelace',
      email: 'a@example.com',
      phone: '+44',
      address: ['1 St', 'W1', 'GB'],
    }
    expect(await readPdf(await make({ lines: makeLines(15), buyer }))).toHaveLength(1)
  })

  test('of five hundred lines have every line, once, and the head of the table again', async () => {
    const pages = await readPdf(await make({ lines: makeLines(500) }))
    expect(pages.length).toBeGreaterThan(10)
    const all = pages.join('\n').split('\n')
    for (const { label } of makeLines(500)) expect(all.filter((line) => line === label)).toHaveLength(1)
    expect(pages.slice(0, 10).every((page) => page.includes('Quantity'))).toBe(true)
    expect(pages.at(-1)).toContain(`Page ${pages.length} of ${pages.length}`)
  })

  test('hold the longest labels there can be', async () => {
    const lines = Array.from({ length: 40 }, () => ({ label: 'Ж'.repeat(200), qty: 1e9, amount: 1e9 }))
    const pages = await readPdf(await make({ lines }))
    expect(joinPdf(pages).match(/Ж/g)).toHaveLength(40 * 200)
  })
})

test('the same receipt is the same file, whatever time it is', async () => {
  const [first, second] = await Promise.all([make(), make()])
  expect(first.equals(second)).toBe(true)
  const later = await make({ tracker: makeTracker(['done', 'done', 'now']) })
  expect(first.equals(later)).toBe(false)
})

test('the file says what it is, in which language and from when, and has no script', async () => {
  const pdf = await make()
  const document = await getDocument({ data: new Uint8Array(pdf), verbosity: 0 }).promise
  const { info } = (await document.getMetadata()) as { info: Record<string, unknown> }
  expect(info).toMatchObject({
    Title: 'Receipt R-4821 · Nordlys Coffee',
    Language: 'en',
    CreationDate: 'D:20251121080100Z',
  })
  expect(await document.getJSActions()).toBeNull()
  expect(pdf.toString('latin1')).not.toMatch(/\/JavaScript|\/Launch|\/EmbeddedFile/)
})
