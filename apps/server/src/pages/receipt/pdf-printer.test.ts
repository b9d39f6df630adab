import { afterEach, expect, test } from 'vitest'
import { makeReceiptView } from '../../../test/support/browser/receipt-views.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { ApiError } from '../../kernel/api-error.ts'
import { findProcesses } from '../../platform/process/process.ts'
import { PdfPrinter } from './pdf-printer.ts'

const open: PdfPrinter[] = []
afterEach(() => {
  for (const each of open.splice(0)) each.close()
})

function openPrinter() {
  const printer = new PdfPrinter({ clock: new TestClock() })
  open.push(printer)
  const drawn: string[] = []
  const print = async (recipient: string, url: string, isGone = () => false) => {
    const view = { ...makeReceiptView(), recipient } as ReturnType<typeof makeReceiptView>
    const pdf = await printer.inTurn(recipient, () => printer.draw({ view, locale: 'en', url }), isGone)
    drawn.push(url)
    return pdf
  }
  return { print, drawn }
}
const reasonOf = (error: unknown) => (error instanceof ApiError ? error.code : String(error))

test('a receipt is drawn in another process, once, and then cached', async () => {
  const children = () =>
    findProcesses(({ args }) => args.some((arg) => arg.endsWith('/receipt/pdf-child.ts')))
  const before = new Set(children().map(({ pid }) => pid))
  const { print } = openPrinter()
  const [first, second] = await Promise.all([print('0xa', 'https://a/1'), print('0xa', 'https://a/1')])
  expect(first.subarray(0, 5).toString()).toBe('%PDF-')
  expect(second).toBe(first)
  expect(await print('0xa', 'https://a/1')).toBe(first)
  expect(await print('0xa', 'https://a/2')).not.toBe(first)
  expect(children().filter(({ pid }) => !before.has(pid))).toHaveLength(1)
})

test('merchants take turns; too many of one are refused, and nobody else', async () => {
  const { print, drawn } = openPrinter()
  const many = Array.from({ length: 10 }, (_, i) => print('0xa', `a${i}`).catch(reasonOf))
  const other = print('0xb', 'b0')
  expect(await many[9]).toBe('rate_limited')
  await other
  expect(drawn).toEqual(['a0', 'a1', 'b0'])
  await Promise.all(many)
  expect(drawn).toHaveLength(10)
})

test('a receipt whose client has left before its turn is not drawn', async () => {
  const { print, drawn } = openPrinter()
  const first = print('0xa', 'a0')
  const gone = print('0xa', 'a1', () => true).catch(reasonOf)
  await Promise.all([first, print('0xa', 'a2'), gone])
  expect(drawn).toEqual(['a0', 'a2'])
})
