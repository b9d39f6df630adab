import type { Command } from '../command.ts'
import { usageError } from '../failure.ts'
import { showMoney } from '../output.ts'
import { readInteger, readMoney } from '../parse-arguments.ts'
import { openSluice } from '../settings.ts'

export const productCreate: Command = {
  path: ['product', 'create'],
  args: ['SKU'],
  summary: 'Creates a product, or updates the one with this sku',
  options: {
    name: { value: 'TEXT', help: 'name that buyers see' },
    price: { value: 'AMOUNT', help: 'US dollars' },
    stock: { value: 'N', help: 'quantity for sale; -1 (default) means not counted' },
    taxable: { help: 'add tax in orders' },
    category: { value: 'TEXT', help: 'category of the product' },
  },
  examples: ['product create espresso-1kg --name "Espresso beans, 1 kg" --price 38 --stock 20 --taxable'],
  async run({ env, out, signal }, input) {
    const [sku = ''] = input.args
    const name = input.text('name')
    const price = input.text('price')
    if (!name || !price) throw usageError(`--${name ? 'price' : 'name'} is missing`)
    const product = await openSluice(env, input).products.put(
      {
        sku,
        name,
        priceUsd: readMoney(price, '--price'),
        stockQty: readInteger(input, 'stock', { min: -1, max: 1_000_000_000 }),
        taxable: input.has('taxable') || undefined,
        category: input.text('category'),
      },
      { signal },
    )
    out.result(product, () =>
      out.fields([
        ['product', product.id],
        ['sku', product.sku],
        ['name', product.name],
        ['price', showMoney(product.priceUsd, 'USD')],
        ['stock', product.stockQty < 0 ? 'not counted' : String(product.stockQty)],
      ]),
    )
  },
}
