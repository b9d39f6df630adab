import type { Command } from '../command.ts'
import { usageError } from '../failure.ts'
import { showMoney } from '../output.ts'
import { readOptions, receiptOptions } from '../receipt/options.ts'
import { openSluice } from '../settings.ts'

export const orderCreate: Command = {
  path: ['order', 'create'],
  summary: 'Creates an order: reserves the stock, adds the tax and creates the receipt to pay',
  options: {
    item: { value: 'SKU[=QTY]', isMany: true, help: 'product and quantity (default 1)' },
    jurisdiction: { value: 'CODE', help: 'tax jurisdiction: US-CA, DE' },
    ...receiptOptions,
  },
  examples: ['order create --item espresso-1kg=2 --item filter-papers --jurisdiction US-CA'],
  async run({ env, out, signal }, input) {
    const items = input.texts('item').map(readItem)
    if (items.length === 0)
      throw usageError('An order requires at least one --item', 'For example: --item sku=2')
    const jurisdictionCode = input.text('jurisdiction')
    if (!jurisdictionCode) throw usageError('--jurisdiction is missing', 'For example: --jurisdiction US-CA')
    const request = { items, jurisdictionCode, ...readOptions(input) }
    const order = await openSluice(env, input).orders.create(request, { signal })
    out.result(order, () => {
      out.fields([
        ['order', order.id],
        ['total', showMoney(order.receipt.totalUsd, 'USD')],
        ['status', order.status],
        ['pay at', order.paymentUrl],
      ])
      out.line()
      out.table(
        ['line', 'USD', 'qty'],
        order.receipt.lineItems.map((line) => [line.label, line.priceUsd.toFixed(2), String(line.qty ?? '')]),
        'no lines',
      )
    })
  },
}

function readItem(text: string): { sku: string; qty: number } {
  const at = text.lastIndexOf('=')
  const [sku, qty] = at < 0 ? [text, '1'] : [text.slice(0, at), text.slice(at + 1)]
  if (sku === '' || !/^[1-9]\d{0,8}$/.test(qty)) throw usageError(`--item '${text}' must be SKU or SKU=QTY`)
  return { sku, qty: Number(qty) }
}
