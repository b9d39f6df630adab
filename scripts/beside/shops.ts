/** A request to a shop, and what it is sent with. */
export type ShopRequest = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** How a shop takes the order of a buyer who was never there before, and shows it to him. */
export type Shop = {
  place(key: string): ShopRequest
  /** What the order is found by; `undefined` where none was made. */
  orderOf(answer: {
    readonly headers: Readonly<Record<string, string | string[] | undefined>>
    readonly text: string
  }): string | undefined
  read(order: string, key: string): ShopRequest
}

/** What is bought everywhere: these, one of each. */
export const products = [
  { sku: 'beans', name: 'Espresso beans, 1 kg', priceUsd: 38 },
  { sku: 'papers', name: 'Filter papers, 100', priceUsd: 4.5 },
  { sku: 'delivery', name: 'Delivery', priceUsd: 6.9 },
] as const

const json = { 'content-type': 'application/json' }
const shown = 'id code state totalWithTax lines { id quantity linePriceWithTax productVariant { sku name } }'
const graphql = (query: string, variables: object = {}) => JSON.stringify({ query, variables })

/** The shops by name. */
export const shops = {
  sluice: {
    place: (key) => ({
      method: 'POST',
      path: '/api/orders',
      headers: { ...json, 'ocp-apim-subscription-key': key },
      body: JSON.stringify({
        items: products.map(({ sku }) => ({ sku, qty: 1 })),
        jurisdictionCode: 'US-OR',
      }),
    }),
    orderOf: ({ text }) => JSON.parse(text).receiptId,
    read: (order, key) => ({
      method: 'GET',
      path: `/api/orders/${order}`,
      headers: { 'ocp-apim-subscription-key': key },
    }),
  },
  vendure: {
    place: () => ({
      method: 'POST',
      path: '/shop-api',
      headers: json,
      body: graphql(
        `mutation ($inputs: [AddItemInput!]!) { addItemsToOrder(inputs: $inputs) { order { ${shown} } } }`,
        { inputs: products.map((_, i) => ({ productVariantId: String(i + 1), quantity: 1 })) },
      ),
    }),
    orderOf({ headers, text }) {
      const token = headers['vendure-auth-token']
      const { order } = JSON.parse(text).data?.addItemsToOrder ?? {}
      return order?.lines.length === products.length && typeof token === 'string' ? token : undefined
    },
    read: (token) => ({
      method: 'POST',
      path: '/shop-api',
      headers: { ...json, authorization: `Bearer ${token}` },
      body: graphql(`{ activeOrder { ${shown} } }`),
    }),
  },
} as const satisfies Record<string, Shop>

export type ShopName = keyof typeof shops
