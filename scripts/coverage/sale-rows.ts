/** Resources: inventory; endpoints: inventory. */
export const inventoryRows = {
  'inventory.sku': 'string, required: names the product in orders',
  'inventory.name': 'string, required',
  'inventory.priceUsd': 'number, required, not negative',
  'inventory.stockQty': 'integer, at least -1',
  'inventory.taxable': 'boolean',
  'get-inventory.answer': "lists the merchant's products",
  'get-inventory.public': 'public reads name the merchant by its wallet',
  'get-inventory.refusals': '401, 403, 429, 500',
  'post-inventory.answer': 'makes a product, or changes the one of that sku',
  'post-inventory.400-missing': 'invalid_input for a required field that is missing',
  'post-inventory.400-type': 'invalid_input for a wrong type',
  'post-inventory.400-range': 'invalid_input for a negative price or a stock below -1',
  'post-inventory.refusals': '401, 403, 429, 500',
} as const

/** Resources: order request; endpoints: orders. */
export const orderRows = {
  'order.items': 'array of sku (or id) and qty of at least 1, required, at least one',
  'order.items-id': 'a line may name its product by id',
  'order.jurisdictionCode': 'string, required: <country>-<region>',
  'post-orders.answer': 'makes an order and its receipt',
  'post-orders.payment-url': 'the buyer pays at {base_url}/pay/<receipt_id>',
  'post-orders.400-items_required': 'an order of nothing',
  'post-orders.400-inventory_item_not_found': 'an unknown sku or id',
  'post-orders.403-split_required': 'a merchant without a split',
  'post-orders.400-platform_recipient_not_configured': 'no address for the platform to be paid at',
  'post-orders.400-invalid_input': 'a body that is not as it should be',
  'post-orders.refusals': '401, 403, 429, 500',
} as const

/** Resources: split configuration and split transactions; endpoints: split. */
export const splitRows = {
  'split.address': 'string, null when not configured',
  'split.recipients': 'array of address and sharesBps, empty when not configured',
  'split-transaction.id': 'string',
  'split-transaction.receiptId': 'string',
  'split-transaction.amount': 'number',
  'split-transaction.currency': 'string',
  'split-transaction.status': 'string',
  'split-transaction.timestamp': 'ISO 8601',
  'split-transaction.transactionHash': 'string',
  'split-transaction.fees': 'number',
  'get-split-deploy.answer': '200 { split }',
  'get-split-deploy.unconfigured': '200 with address null and no recipients',
  'get-split-deploy.refusals': '401, 403, 429, 500',
  'post-split-deploy.splitAddress': 'string, optional: a contract that is deployed already',
  'post-split-deploy.recipients': 'array of address and sharesBps, optional',
  'post-split-deploy.answer': '200 { ok: true, split }',
  'post-split-deploy.idempotent': 'configured already: the split that is there, and idempotent true',
  'post-split-deploy.refusals': '401, 403 (keys too), 429, 500',
  'get-split-transactions.answer': '200 with an array of split transactions',
  'get-split-transactions.address': 'query: only this recipient or split',
  'get-split-transactions.refusals': '401, 403, 429, 500',
  'post-split-withdraw.410': 'deprecated, reason use_connected_wallet, and a message',
} as const
