import type { ReceiptView } from '../../payments/tracking/receipt-view.ts'
import { signPath } from '../html/parts.ts'
import type { Translator } from '../messages/translator.ts'
import type { FontBook } from '../pdf/font-book.ts'
import { Sheet, sheetWidth, type TextStyle } from '../pdf/sheet.ts'
import { rateTexts, sumRows, totalText } from './item-rows.ts'
import {
  type FactSection,
  listRefunds,
  looks,
  paidStatus,
  readPayments,
  type TermFact,
} from './receipt-texts.ts'
import { stepTitle } from './tracker-list.ts'

const dim = '#444'
const amountFrom = sheetWidth - 110
const quantityFrom = amountFrom - 70
const termWidth = 110

/**
 * Draws the receipt as a PDF with everything from the page except the split's recipients. Times are in UTC.
 *
 * The same receipt in the same language produces the same bytes.
 *
 * @param url - Printed URL of the page, never the private link.
 */
export async function receiptPdf(
  book: FontBook,
  view: ReceiptView,
  t: Translator,
  url: string,
): Promise<Buffer> {
  const content = readContent(view, t, url)
  const fonts = await book.load(textsOf(content))
  const sheet = new Sheet(fonts, {
    title: t.text('receipt.title', { id: view.receiptId, brand: view.brandName }),
    author: view.brandName,
    language: t.locale,
    direction: t.direction,
    createdAt: view.paidAt ?? view.createdAt,
  })
  drawHead(sheet, content)
  drawItems(sheet, content)
  for (const { title, facts } of content.sections) drawSection(sheet, title, facts)
  if (content.tracker) drawTracker(sheet, content.tracker)
  if (sheet.hasReplaced) {
    sheet.space(10)
    sheet.text(content.replaced, { size: 8, color: dim })
  }
  return sheet.finish((number, count) => ({
    start: content.foot,
    end: t.text('receipt.page', { number, count }),
  }))
}

type Content = ReturnType<typeof readContent>

function readContent(view: ReceiptView, t: Translator, url: string) {
  const standing = t.text(`receipt.standing.${paidStatus(view) ?? 'paid'}`)
  const paidAt = view.paidAt ?? view.createdAt
  const sections = [...readPayments(view, t), ...readBuyer(view, t), ...listRefunds(view, t)]
  return {
    sign: looks[paidStatus(view) ?? 'paid'].sign,
    heading: t.text('receipt.heading', { brand: view.brandName }),
    standing,
    totalLabel: t.text('receipt.total-label'),
    total: totalText(view, t),
    facts: [
      { term: t.text('receipt.date'), value: t.timeText(paidAt) },
      { term: t.text('receipt.number'), value: view.receiptId },
    ],
    columns: [t.text('receipt.item'), t.text('receipt.quantity'), t.text('receipt.amount')] as const,
    lines: view.lines.map(({ label, qty, amount }) => ({
      label,
      qty: qty === null ? '' : t.number(qty),
      amount: t.money(amount, view.currency),
    })),
    sums: sumRows(view, t),
    rates: rateTexts(view, t),
    sections,
    tracker: readTracker(view, t),
    replaced: t.text('receipt.replaced'),
    foot: `${t.text('receipt.online')}: ${url}`,
  }
}

/** Uses few lines, so that a receipt fits on one page. */
function readBuyer({ buyer }: ReceiptView, t: Translator): FactSection[] {
  if (!buyer) return []
  const people = [buyer.name, buyer.email, buyer.phone].filter((part) => part !== null).join(' · ')
  const lines = [people, buyer.address.join(', ')].filter((line) => line !== '')
  return [{ title: t.text('receipt.buyer'), facts: lines.map((value) => ({ term: '', value })) }]
}

function readTracker(view: ReceiptView, t: Translator): FactSection | undefined {
  if (!view.tracker) return undefined
  const facts = view.tracker.steps.map((tracked): TermFact => {
    const state = t.text(`receipt.tracker.state.${tracked.state}`)
    return {
      term: stepTitle(tracked, t),
      value:
        tracked.at === null
          ? state
          : t.text('receipt.tracker.state-at', { state, time: t.timeText(tracked.at) }),
    }
  })
  return { title: t.text('receipt.tracker.heading'), facts }
}

/** Collects all texts to load their fonts. Digits and our own characters load in both weights. */
function textsOf(content: Content): { regular: string; bold: string } {
  const bold = [
    content.heading,
    content.standing,
    content.total,
    ...content.sections.map(({ title }) => title),
  ]
  const { title = '', facts = [] } = content.tracker ?? {}
  const steps = [title, ...facts.map(({ term }) => term)]
  const sums = content.sums.flatMap(({ term, value }) => [term, value])
  return {
    regular: `?0123456789 ${JSON.stringify(content)}`,
    bold: `?0123456789 ${[...bold, ...steps, ...sums].join(' ')}`,
  }
}

function drawHead(sheet: Sheet, content: Content): void {
  sheet.text(content.heading, { size: 17, weight: 'bold' })
  sheet.space(6)
  sheet.sign(signPath(content.sign), 13)
  sheet.text(content.standing, { from: 17, weight: 'bold', size: 10.5 })
  sheet.space(8)
  sheet.text(content.totalLabel, { color: dim })
  sheet.text(content.total, { size: 22, weight: 'bold' })
  sheet.space(6)
  for (const { term, value } of content.facts) drawFact(sheet, term, value)
  sheet.space(14)
}

function drawItems(sheet: Sheet, content: Content): void {
  drawColumns(sheet, content)
  for (const { label, qty, amount } of content.lines) {
    if (sheet.need(28)) drawColumns(sheet, content)
    sheet.space(2.5)
    sheet.row([
      { text: label, width: quantityFrom - 16, isForeign: true },
      { text: qty, from: quantityFrom, width: 70, align: 'end' },
      { text: amount, from: amountFrom, width: 110, align: 'end' },
    ])
    sheet.space(2.5)
    sheet.rule()
  }
  for (const { term, value, isTotal } of content.sums) {
    sheet.need(30)
    if (isTotal) sheet.rule(1.2, '#000')
    sheet.space(4)
    const style = { weight: isTotal ? 'bold' : 'regular', size: isTotal ? 11 : 9.5 } as const
    sheet.row([
      { ...style, text: term, width: amountFrom - 60 },
      { ...style, text: value, from: amountFrom - 50, width: 160, align: 'end' },
    ])
    sheet.space(3)
  }
  sheet.space(4)
  for (const rate of content.rates) sheet.text(rate, { size: 8, color: dim })
}

function drawColumns(sheet: Sheet, { columns: [item, quantity, amount] }: Content): void {
  const style = { size: 8, color: dim }
  sheet.row([
    { ...style, text: item, width: quantityFrom - 16 },
    { ...style, text: quantity, from: quantityFrom - 30, width: 100, align: 'end' },
    { ...style, text: amount, from: amountFrom, width: 110, align: 'end' },
  ])
  sheet.space(3)
  sheet.rule()
}

function drawSection(sheet: Sheet, title: string, facts: readonly TermFact[]): void {
  sheet.need(48)
  drawTitle(sheet, title)
  for (const { term, value } of facts) drawFact(sheet, term, value)
}

function drawTitle(sheet: Sheet, title: string): void {
  sheet.space(11)
  sheet.text(title, { weight: 'bold', size: 10.5 })
  sheet.space(2)
}

function drawTracker(sheet: Sheet, { title, facts }: FactSection): void {
  const width = sheetWidth / facts.length
  const cells = (style: TextStyle, textOf: (fact: TermFact) => string) =>
    facts.map((fact, i) => ({ ...style, text: textOf(fact), from: i * width, width: width - 8 }))
  sheet.need(64)
  drawTitle(sheet, title)
  sheet.row(cells({ size: 8.5, weight: 'bold' }, ({ term }) => term))
  sheet.row(cells({ size: 8, color: dim }, ({ value }) => value))
}

function drawFact(sheet: Sheet, term: string, value: string): void {
  sheet.row([
    { text: term, width: termWidth - 8, color: dim, size: 8.5 },
    { text: value, from: term === '' ? 0 : termWidth, size: 8.5, isForeign: true },
  ])
}
