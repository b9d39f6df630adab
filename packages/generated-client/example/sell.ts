import createClient from 'openapi-fetch'
import type { paths } from './schema.d.ts'

/** An integrator's program that uses a client generated only from the OpenAPI document. */
const [baseUrl = '', key = ''] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl, headers: { 'Ocp-Apim-Subscription-Key': key } })

const sku = `beans-${process.pid}`
const product = await client.POST('/api/inventory', {
  body: { sku, name: 'Espresso beans', priceUsd: 19.5, taxable: true },
})
if (product.error) throw new Error(product.error.message)
const products = await client.GET('/api/inventory', { params: { query: { q: sku, limit: 10, sort: 'sku' } } })
const readProduct = await client.GET('/api/inventory/{id}', {
  params: { path: { id: product.data.item.id } },
})

const order = await client.POST('/api/orders', {
  params: { header: { 'Idempotency-Key': `order-${sku}` } },
  body: { items: [{ sku, qty: 2 }], jurisdictionCode: 'US-CA' },
})
if (order.error) throw new Error(order.error.message)
const orders = await client.GET('/api/orders', { params: { query: { limit: 5 } } })
const readOrder = await client.GET('/api/orders/{id}', { params: { path: { id: order.data.id } } })

const receipt = await client.POST('/api/receipts', {
  body: {
    id: `receipt-${process.pid}`,
    currency: 'EUR',
    lineItems: [{ label: 'Beans', amount: 19.5, qty: 1 }],
    billingEmail: 'buyer@example.com',
  },
})
if (receipt.error) throw new Error(receipt.error.message)
const receipts = await client.GET('/api/receipts', { params: { query: { limit: 5 } } })
const readReceipt = await client.GET('/api/receipts/{id}', { params: { path: { id: receipt.data.id } } })
const status = await client.GET('/api/receipts/status', {
  params: { query: { receiptId: receipt.data.id } },
})

const unknown = await client.POST('/api/orders', {
  body: { items: [{ sku: 'not-there', qty: 1 }], jurisdictionCode: 'US-CA' },
})
const missing =
  unknown.error?.error === 'inventory_item_not_found' ? unknown.error.items.map((item) => item.sku) : []

process.stdout.write(
  JSON.stringify({
    product: products.data?.items.map((item) => item.sku),
    price: readProduct.data?.item.priceUsd,
    orderListed: orders.data?.orders.some((each) => each.id === order.data.id),
    orderTotal: readOrder.data?.totalUsd,
    tax: readOrder.data?.receipt.lineItems.find((line) => line.label === 'Tax')?.priceUsd,
    receiptListed: receipts.data?.receipts.some((each) => each.receiptId === receipt.data.id),
    paymentUrl: receipt.data.paymentUrl,
    currency: readReceipt.data?.currency,
    city: readReceipt.data?.billingAddress?.city,
    email: readReceipt.data?.billingAddress?.email,
    paymentState: readReceipt.data?.payment.state,
    status: status.data?.status,
    failureCode: status.data?.failureCode,
    missing,
  }),
)
