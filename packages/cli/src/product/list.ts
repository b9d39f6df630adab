import type { Command } from '../command.ts'
import { readInteger } from '../parse-arguments.ts'
import { openSluice } from '../settings.ts'

export const productList: Command = {
  path: ['product', 'list'],
  summary: 'Lists products',
  options: {
    search: { value: 'TEXT', help: 'search name, sku and description' },
    category: { value: 'TEXT', help: 'filter by this value' },
    limit: { value: 'N', help: 'number of products, 1–200 (default 50)' },
    cursor: { value: 'TEXT', help: 'continue after the previous page' },
  },
  async run({ env, out, signal }, input) {
    const query = {
      q: input.text('search'),
      category: input.text('category'),
      limit: readInteger(input, 'limit', { min: 1, max: 200 }) ?? 50,
      cursor: input.text('cursor'),
    }
    const page = await openSluice(env, input).products.list(query, { signal })
    out.result(page.body, () =>
      out.table(
        ['sku', 'name', 'USD', 'stock', 'status'],
        page.data.map((item) => [
          item.sku,
          item.name,
          item.priceUsd.toFixed(2),
          item.stockQty < 0 ? '–' : String(item.stockQty),
          item.status,
        ]),
        'There are no products.',
      ),
    )
    if (page.nextCursor && !out.isJson)
      out.note(`${page.body.total} in total; next page: --cursor ${page.nextCursor}`)
  },
}
