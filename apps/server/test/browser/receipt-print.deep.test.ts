import { describe, expect, test } from 'vitest'
import type { ReceiptView } from '../../src/payments/tracking/receipt-view.ts'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { startPageHarness } from '../support/browser/page-harness.ts'
import { joinPdf, readPdf } from '../support/browser/read-pdf.ts'
import { madeBuyer as buyer, makeLines } from '../support/browser/receipt-views.ts'
import { perFile } from '../support/per-file.ts'

const harness = perFile(startPageHarness)
const browser = perFile(openBrowser)

const hash = `0x${'7d2f40c1'.repeat(8)}`
const refund = { kind: 'price', usd: 20, transactionHash: hash, at: Date.UTC(2025, 10, 24) } as const

describe('point 43: on paper', () => {
  const print = async (view: Partial<ReceiptView>, look: object = {}) => {
    const seen = await openAsBuyer(browser, harness.putReceipt('paper', view), look)
    const pages = await readPdf(await seen.page.pdf({ format: 'A4' }))
    await seen.page.emulateMedia({ media: 'print' })
    return { seen, pages }
  }

  test.each([
    'A4',
    'Letter',
  ])('fifteen lines, a billing address and a refund are one page of %s', async (format) => {
    const view = { lines: makeLines(15), buyer, refunds: [{ ...refund, state: 'confirmed' } as const] }
    const seen = await openAsBuyer(browser, harness.putReceipt('one-page', view))
    const pages = await readPdf(await seen.page.pdf({ format }))
    expect(pages).toHaveLength(1)
    const text = joinPdf(pages)
    for (const { label } of makeLines(15)) expect(text).toContain(label)
    await seen.close()
  })

  test('a long receipt is more, and has every line', async () => {
    const { seen, pages } = await print({ lines: makeLines(120) })
    expect(pages.length).toBeGreaterThan(1)
    const text = joinPdf(pages)
    for (const { label } of makeLines(120)) expect(text).toContain(label)
    await seen.close()
  })

  test('hash and address are readable in full, and there is nothing to press', async () => {
    const { seen, pages } = await print({})
    const text = joinPdf(pages)
    expect(text).toContain(hash)
    expect(text).toContain(`https://basescan.org/tx/${hash}`)
    expect(text.replaceAll(' ', '')).toContain(`${harness.url}/receipt/paper?recipient=0x7099`)
    for (const label of [
      'Download PDF',
      'Print',
      'View on the block explorer',
      'Find it by transaction hash',
    ])
      expect(text).not.toContain(label)
    expect(await seen.page.locator('button:visible, .button:visible').count()).toBe(0)
    await seen.close()
  })

  test('everything is black on white, whatever the screen’s colours are', async () => {
    const { seen } = await print({ lines: makeLines(3), buyer }, { colorScheme: 'dark' })
    const colours = await seen.page.evaluate<
      string[]
    >(`[...document.querySelectorAll('main, main *, footer p')]
      .filter((it) => it.checkVisibility())
      .flatMap((it) => [getComputedStyle(it).color, getComputedStyle(it).backgroundColor])`)
    const paper = ['rgb(0, 0, 0)', 'rgb(51, 51, 51)', 'rgb(255, 255, 255)', 'rgba(0, 0, 0, 0)']
    expect([...new Set(colours)].filter((colour) => !paper.includes(colour))).toEqual([])
    const body = await seen.page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    expect(body).toBe('rgb(255, 255, 255)')
    await seen.close()
  })
})
