// Written by `node scripts/write-sdk-types.ts` from the schemas of packages/protocol; `npm run check` holds it.
// biome-ignore-all lint: generated

/** The value of `error` in an error answer. */
export type ErrorCode =
  | 'invalid_input'
  | 'items_required'
  | 'inventory_item_not_found'
  | 'inventory_item_unavailable'
  | 'platform_recipient_not_configured'
  | 'missing_receipt_id'
  | 'invalid_wallet'
  | 'missing_status'
  | 'invalid_buyer'
  | 'invalid_usd'
  | 'wallet_required'
  | 'invalid_amount'
  | 'unauthorized'
  | 'forbidden'
  | 'split_required'
  | 'not_found'
  | 'receipt_exists'
  | 'idempotency_conflict'
  | 'attempt_open'
  | 'product_conflict'
  | 'slug_taken'
  | 'deprecated'
  | 'rate_limited'
  | 'failed'
  | 'exchange_rate_unavailable'
  | 'datastore_unavailable'
  | 'chain_unavailable'
  | 'provider_unavailable'

/** Where a receipt stands. */
export type ReceiptStatus =
  | 'generated'
  | 'pending'
  | 'paid'
  | 'paid - ach pending'
  | 'reconciled'
  | 'failed'
  | 'refund_requested'
  | 'refunded'

/** The API's `CreateReceiptRequest`. */
export type CreateReceiptRequest = {
  /** Your own unique id. */
  id: string
  /** All with `priceUsd` (legacy format) or all with `amount` (native format). */
  lineItems: {
    label: string
    /** Legacy format: US dollars. */
    priceUsd?: number | undefined
    /** Native format: the amount of the whole line in the receipt's currency, in whole cents. */
    amount?: number | undefined
    qty?: number | undefined
  }[]
  /** Defaults to USD. Case does not matter. */
  currency?: 'USD' | 'EUR' | undefined
  /** Native format: the sum of the amounts (the default). */
  total?: number | undefined
  /** Required in the legacy format. */
  totalUsd?: number | undefined
  /** An https URL to which the card provider redirects the buyer after its hosted flow. The checkout goes there after a payment without a provider, where neither `returnUrl` nor `onSuccess` names a page. */
  redirect_url?: string | undefined
  /** Alias of `redirect_url`. @deprecated */
  redirectUrl?: string | undefined
  /** The URL to which the buyer is redirected after a successful payment. */
  returnUrl?: string | undefined
  /** Alias of `returnUrl`. @deprecated */
  return_url?: string | undefined
  /** An https URL that receives status changes. */
  webhook_url?: string | undefined
  /** Alias of `webhook_url`. @deprecated */
  webhookUrl?: string | undefined
  /** A redirect URL, followed like `returnUrl` where that is not set; or a script that is evaluated after a successful payment, in a sandboxed frame of the checkout: it reads the result as `payment` and may ask for one https page. */
  onSuccess?: string | undefined
  /** Prefills the provider's email field. Defaults to the billing email. */
  providerEmail?: string | undefined
  billingFirstName?: string | undefined
  /** Alias of `billingFirstName`. @deprecated */
  customerFirstName?: string | undefined
  billingLastName?: string | undefined
  /** Alias of `billingLastName`. @deprecated */
  customerLastName?: string | undefined
  billingEmail?: string | undefined
  /** Alias of `billingEmail`. @deprecated */
  customerEmail?: string | undefined
  billingPhone?: string | undefined
  /** Alias of `billingPhone`. @deprecated */
  customerPhone?: string | undefined
  billingAddressLine1?: string | undefined
  /** Alias of `billingAddressLine1`. @deprecated */
  customerAddressLine1?: string | undefined
  billingAddressLine2?: string | undefined
  /** Alias of `billingAddressLine2`. @deprecated */
  customerAddressLine2?: string | undefined
  billingAddressCity?: string | undefined
  /** Alias of `billingAddressCity`. @deprecated */
  customerAddressCity?: string | undefined
  /** Preferably two letters. */
  billingAddressState?: string | undefined
  /** Alias of `billingAddressState`. @deprecated */
  customerAddressState?: string | undefined
  billingAddressPostalCode?: string | undefined
  /** Alias of `billingAddressPostalCode`. @deprecated */
  billingAddressZip?: string | undefined
  /** Alias of `billingAddressPostalCode`. @deprecated */
  customerAddressPostalCode?: string | undefined
  /** Two-letter ISO 3166-1 code. */
  billingAddressCountry?: string | undefined
  /** Alias of `billingAddressCountry`. @deprecated */
  customerAddressCountry?: string | undefined
  /** Your own data; at most 8 KiB of JSON. */
  metadata?: Record<string, unknown> | undefined
  /** Your own reference, which is returned in webhooks. */
  transactionId?: string | undefined
  /** Alias of `transactionId`. @deprecated */
  clientTransactionId?: string | undefined
  /** Unix milliseconds. */
  expiresAt?: number | undefined
  /** Tax jurisdiction: <country>-<region>, or the country alone if all its regions have one rate. */
  jurisdictionCode?: string | undefined
  /** A fraction. */
  taxRate?: number | undefined
  taxComponents?: string[] | undefined
}

/** The API's `CreatedReceipt`. */
export type CreatedReceipt = {
  id: string
  paymentUrl: string
  status: 'pending'
  /** The `redirect_url` of the request. */
  redirectUrl: string | null
  /** The `webhook_url` of the request. */
  webhookUrl: string | null
}

/** The API's `Receipt`. */
export type Receipt = {
  receiptId: string
  totalUsd: number
  currency: 'USD' | 'EUR'
  lineItems: {
    label: string
    priceUsd: number
    qty?: number | undefined
    amount?: number | undefined
  }[]
  /** Unix time in milliseconds */
  createdAt: number
  brandName: string
  status:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
  /** The status, or what cancellation, the money and `expiresAt` make of it. `confirming`: paid, not confirmed yet; `underpaid`: paid in part; `expired`: unpaid at `expiresAt`; `stopped`: failed, since the buyer cancelled or left; `overpaid`: more came, nothing was given back; `reversed`: the network took the payment back. */
  displayStatus:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
    | 'cancelled'
    | 'confirming'
    | 'underpaid'
    | 'expired'
    | 'stopped'
    | 'overpaid'
    | 'reversed'
  /** Native format: the total in `currency`. */
  total?: number | undefined
  pricing?:
    | {
        valuation: {
          version: number
          currency: 'USD' | 'EUR'
          usdPerUnit: number
          quotedAt: number
          provider: string
        }
        originalTotal: number
        originalLineItems: {
          label: string
          amount: number
          qty?: number | undefined
        }[]
      }
    | undefined
  /** Only where it was cancelled. */
  cancelledAt?: number | undefined
}

/** The API's `ReceiptDetail`. */
export type ReceiptDetail = {
  receiptId: string
  totalUsd: number
  currency: 'USD' | 'EUR'
  lineItems: {
    label: string
    priceUsd: number
    qty?: number | undefined
    amount?: number | undefined
  }[]
  /** Unix time in milliseconds */
  createdAt: number
  brandName: string
  status:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
  /** The status, or what cancellation, the money and `expiresAt` make of it. `confirming`: paid, not confirmed yet; `underpaid`: paid in part; `expired`: unpaid at `expiresAt`; `stopped`: failed, since the buyer cancelled or left; `overpaid`: more came, nothing was given back; `reversed`: the network took the payment back. */
  displayStatus:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
    | 'cancelled'
    | 'confirming'
    | 'underpaid'
    | 'expired'
    | 'stopped'
    | 'overpaid'
    | 'reversed'
  /** Native format: the total in `currency`. */
  total?: number | undefined
  pricing?:
    | {
        valuation: {
          version: number
          currency: 'USD' | 'EUR'
          usdPerUnit: number
          quotedAt: number
          provider: string
        }
        originalTotal: number
        originalLineItems: {
          label: string
          amount: number
          qty?: number | undefined
        }[]
      }
    | undefined
  jurisdictionCode: string | null
  taxRate: number | null
  taxComponents: string[]
  transactionHash: string | null
  transactionTimestamp: number | null
  billingAddress: {
    firstName: string
    lastName: string
    phone: string
    email: string
    line1: string
    line2: string
    city: string
    state: string
    zip: string
    country: string
  } | null
  customerTotalUsd: number
  payment: {
    state: 'none' | 'awaiting' | 'seen' | 'short' | 'paid' | 'over' | 'late' | 'expired' | 'orphaned'
    /** What proves that it is paid: `chain`, the money itself; `provider`, a signed event of the card provider, whose delivery may still be on its way; `admin`, a decision of yours. Null while it is not paid. */
    provenBy: 'chain' | 'provider' | 'admin' | null
    token: string | null
    due: number
    dueRaw: string
    received: number
    receivedRaw: string
    missing: number
    missingRaw: string
    excess: number
    excessRaw: string
    /** Received in other tokens than `token`. */
    otherTokens: {
      token: string
      amount: number
      amountRaw: string
    }[]
    /** What is open about a provider’s delivery. `overdue`: the money has not arrived whole in time; `reversed`: the provider took its confirmation back. */
    delivery: 'overdue' | 'reversed' | null
    /** Worth of the confirmed payments in US dollars. This much of an unpaid receipt can be refunded. */
    creditedUsd: number
    confirmations: number
    finality: 'none' | 'seen' | 'safe' | 'final'
    coverage: {
      blockNumber: number | null
      scannedTo: number | null
    }
  }
  providerSessionId: string | null
  isProviderSessionUnique: boolean
  /** What the card provider charged the buyer, where it said so. */
  providerSourceAmountUsd?: number | undefined
  timeline: {
    at: number
    kind: string
    fromStatus: string | null
    toStatus: string | null
    detail: Record<string, unknown>
  }[]
  /** The number of entries left out between the first and the last ones; 0 up to about five hundred entries. */
  timelineOmitted: number
  refunds: Refund[]
  telemetry: {
    /** What checkout pages reported; it proves nothing. */
    value: string
    count: number
    firstAt: number
    lastAt: number
  }[]
  split: {
    address: string
    version: number
  } | null
  metadata: Record<string, unknown> | null
  transactionId: string | null
  expiresAt: number | null
  cancelledAt: number | null
  providerEmail: string | null
  /** Where the buyer pays it, as short as it can be. Once it is paid, that page says so. */
  paymentUrl: string
  /** The page that shows the receipt once it is paid, for printing and as a PDF (`.pdf` after the id). It shows nothing of billing data or e-mail. */
  receiptUrl: string
  /** The same page with the billing data and the e-mail, for the buyer alone: whoever has this link sees them. It ends after 90 days; each request returns a fresh one. Null where the receipt holds no such data. */
  privateReceiptUrl: string | null
}

/** The API's `ReceiptList`. */
export type ReceiptList = {
  receipts: Receipt[]
  nextCursor: string | null
  /** The datastore is unavailable; this is the last known state. */
  degraded?: true | undefined
  reason?: 'datastore_unavailable' | undefined
}

/** The API's `ReceiptSummary`. */
export type ReceiptSummary = {
  /** How many receipts the filter finds. */
  count: number
  /** How many there are of each status, and how many were cancelled and are not paid, which count there alone; the filter `status` does not apply here. */
  byStatus: {
    generated: number
    pending: number
    paid: number
    'paid - ach pending': number
    reconciled: number
    failed: number
    refund_requested: number
    refunded: number
    cancelled: number
  }
  /** The same receipts by `displayStatus`. Of more than 20,000 that expired, that were stopped, or whose money does not match, the others count as their status. */
  byDisplayStatus: {
    generated: number
    pending: number
    paid: number
    'paid - ach pending': number
    reconciled: number
    failed: number
    refund_requested: number
    refunded: number
    cancelled: number
    confirming: number
    underpaid: number
    expired: number
    stopped: number
    overpaid: number
    reversed: number
  }
  /** In the currency of the receipts; only currencies that occur. */
  totals: {
    currency: 'USD' | 'EUR'
    count: number
    /** All totals. */
    total: number
    /** The totals of what was paid, also where it was refunded later. */
    paid: number
    /** The totals of what is `generated` or `pending`, and neither cancelled nor expired. */
    awaiting: number
    /** What is known to be given back. */
    refunded: number
    /** The processing fees of what was paid, which customers paid on top. */
    fees: number
  }[]
  series?:
    | {
        /** When the point begins, Unix milliseconds. */
        from: number
        count: number
        paidCount: number
        paidUsd: number
      }[]
    | undefined
  /** Where there are too many receipts to count them all: those created before this time are not counted. Otherwise null. */
  countedFrom: number | null
  /** The datastore is unavailable; this is the last known state. */
  degraded?: true | undefined
  reason?: 'datastore_unavailable' | undefined
}

/** The API's `ReceiptStatusAnswer`. */
export type ReceiptStatusAnswer = {
  id: string
  status:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
  /** The symbol of the token once paid; the currency of the receipt before. */
  currency: string
  amount: number
  /** The base units received, once paid in a token. */
  amountRaw?: string | undefined
  transactionHash: string | null
  providerSessionId?: string | null | undefined
  isProviderSessionUnique?: boolean | undefined
  /** What the card provider charged the buyer, where it said so. */
  providerSourceAmountUsd?: number | undefined
  failureCode: string | null
  failureCategory: 'card_decline' | 'compliance' | 'limits' | 'blockchain' | 'session' | 'system' | null
  failureReason: string | null
  failureAction: string | null
  providerErrorCode: string | null
  providerRequestId: string | null
}

/** The API's `Refund`. */
export type Refund = {
  id: string
  /** `price`: from the total of the receipt; `excess`: from the amount paid in excess of it; `unmatched`: from an unmatched payment. */
  kind: 'price' | 'excess' | 'unmatched'
  usd: number
  buyer: string | null
  items: {
    label: string
    priceUsd: number
    qty?: number | undefined
  }[]
  txHash: string | null
  /** `tx_mined`: included in a block; `recipient_validated`: final, and matches what was logged; `tx_mismatch`: does not match. Null before that, and without a transaction. */
  mark: 'tx_mined' | 'recipient_validated' | 'tx_mismatch' | null
  /** Why it does not match; with `mark` null, why it is not proven: its transaction is missing from the chain. */
  fault: string | null
  /** Whether it counts towards `refunded`. */
  isCounted: boolean
  /** The wallet that logged it. */
  by: string
  /** Unix time in milliseconds */
  createdAt: number
}

/** The API's `CreateOrderRequest`. */
export type CreateOrderRequest = {
  /** Each item names a product by sku, by id, or by both if they agree. */
  items: {
    /** Send either this or `id`. */
    sku?: string | undefined
    /** The id of the product. */
    id?: string | undefined
    qty: number
  }[]
  /** Tax jurisdiction: <country>-<region>, or the country alone if all its regions have one rate. */
  jurisdictionCode: string
  /** A fraction with at most six decimals. */
  taxRate?: number | undefined
  /** Descriptive only. */
  taxComponents?: string[] | undefined
  /** An https URL to which the card provider redirects the buyer after its hosted flow. The checkout goes there after a payment without a provider, where neither `returnUrl` nor `onSuccess` names a page. */
  redirect_url?: string | undefined
  /** Alias of `redirect_url`. @deprecated */
  redirectUrl?: string | undefined
  /** The URL to which the buyer is redirected after a successful payment. */
  returnUrl?: string | undefined
  /** Alias of `returnUrl`. @deprecated */
  return_url?: string | undefined
  /** An https URL that receives status changes. */
  webhook_url?: string | undefined
  /** Alias of `webhook_url`. @deprecated */
  webhookUrl?: string | undefined
  /** A redirect URL, followed like `returnUrl` where that is not set; or a script that is evaluated after a successful payment, in a sandboxed frame of the checkout: it reads the result as `payment` and may ask for one https page. */
  onSuccess?: string | undefined
  /** Prefills the provider's email field. Defaults to the billing email. */
  providerEmail?: string | undefined
  billingFirstName?: string | undefined
  /** Alias of `billingFirstName`. @deprecated */
  customerFirstName?: string | undefined
  billingLastName?: string | undefined
  /** Alias of `billingLastName`. @deprecated */
  customerLastName?: string | undefined
  billingEmail?: string | undefined
  /** Alias of `billingEmail`. @deprecated */
  customerEmail?: string | undefined
  billingPhone?: string | undefined
  /** Alias of `billingPhone`. @deprecated */
  customerPhone?: string | undefined
  billingAddressLine1?: string | undefined
  /** Alias of `billingAddressLine1`. @deprecated */
  customerAddressLine1?: string | undefined
  billingAddressLine2?: string | undefined
  /** Alias of `billingAddressLine2`. @deprecated */
  customerAddressLine2?: string | undefined
  billingAddressCity?: string | undefined
  /** Alias of `billingAddressCity`. @deprecated */
  customerAddressCity?: string | undefined
  /** Preferably two letters. */
  billingAddressState?: string | undefined
  /** Alias of `billingAddressState`. @deprecated */
  customerAddressState?: string | undefined
  billingAddressPostalCode?: string | undefined
  /** Alias of `billingAddressPostalCode`. @deprecated */
  billingAddressZip?: string | undefined
  /** Alias of `billingAddressPostalCode`. @deprecated */
  customerAddressPostalCode?: string | undefined
  /** Two-letter ISO 3166-1 code. */
  billingAddressCountry?: string | undefined
  /** Alias of `billingAddressCountry`. @deprecated */
  customerAddressCountry?: string | undefined
  /** Your own data; at most 8 KiB of JSON. */
  metadata?: Record<string, unknown> | undefined
  /** Your own reference, which is returned in webhooks. */
  transactionId?: string | undefined
  /** Alias of `transactionId`. @deprecated */
  clientTransactionId?: string | undefined
  /** Unix milliseconds. */
  expiresAt?: number | undefined
}

/** The API's `CreatedOrder`. */
export type CreatedOrder = {
  ok: true
  id: string
  receiptId: string
  paymentUrl: string
  status: 'pending'
  receipt: Receipt
}

/** The API's `Order`. */
export type Order = {
  id: string
  receiptId: string
  paymentUrl: string
  /** The status of the receipt. */
  status:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
  /** The status, or what cancellation, the money and `expiresAt` make of it. `confirming`: paid, not confirmed yet; `underpaid`: paid in part; `expired`: unpaid at `expiresAt`; `stopped`: failed, since the buyer cancelled or left; `overpaid`: more came, nothing was given back; `reversed`: the network took the payment back. */
  displayStatus:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
    | 'cancelled'
    | 'confirming'
    | 'underpaid'
    | 'expired'
    | 'stopped'
    | 'overpaid'
    | 'reversed'
  items: {
    productId: string
    sku: string
    name: string
    qty: number
    unitPriceUsd: number
    totalUsd: number
    taxable: boolean
  }[]
  subtotalUsd: number
  /** The taxable part of the subtotal. */
  taxableUsd: number
  taxUsd: number
  totalUsd: number
  jurisdictionCode: string
  taxRate: number
  taxComponents: string[]
  /** The source of the rate; none if there is no rate and nothing is taxable. */
  taxFrom: 'request' | 'merchant' | 'catalog' | 'none'
  /** held (reserved), taken (sold) or given_back (not reserved); null if no product of the order is counted. */
  stock: 'held' | 'taken' | 'given_back' | null
  /** What could not be delivered from stock, because the order was paid after its stock had been released. */
  stockMissing: {
    productId: string
    qty: number
  }[]
  /** Unix milliseconds. */
  createdAt: number
  expiresAt: number | null
  metadata: Record<string, unknown> | null
  transactionId: string | null
}

/** The API's `OrderDetail`. */
export type OrderDetail = {
  id: string
  receiptId: string
  paymentUrl: string
  /** The status of the receipt. */
  status:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
  /** The status, or what cancellation, the money and `expiresAt` make of it. `confirming`: paid, not confirmed yet; `underpaid`: paid in part; `expired`: unpaid at `expiresAt`; `stopped`: failed, since the buyer cancelled or left; `overpaid`: more came, nothing was given back; `reversed`: the network took the payment back. */
  displayStatus:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
    | 'cancelled'
    | 'confirming'
    | 'underpaid'
    | 'expired'
    | 'stopped'
    | 'overpaid'
    | 'reversed'
  items: {
    productId: string
    sku: string
    name: string
    qty: number
    unitPriceUsd: number
    totalUsd: number
    taxable: boolean
  }[]
  subtotalUsd: number
  /** The taxable part of the subtotal. */
  taxableUsd: number
  taxUsd: number
  totalUsd: number
  jurisdictionCode: string
  taxRate: number
  taxComponents: string[]
  /** The source of the rate; none if there is no rate and nothing is taxable. */
  taxFrom: 'request' | 'merchant' | 'catalog' | 'none'
  /** held (reserved), taken (sold) or given_back (not reserved); null if no product of the order is counted. */
  stock: 'held' | 'taken' | 'given_back' | null
  /** What could not be delivered from stock, because the order was paid after its stock had been released. */
  stockMissing: {
    productId: string
    qty: number
  }[]
  /** Unix milliseconds. */
  createdAt: number
  expiresAt: number | null
  metadata: Record<string, unknown> | null
  transactionId: string | null
  receipt: Receipt
}

/** The API's `OrderList`. */
export type OrderList = {
  orders: Order[]
  nextCursor: string | null
}

/** The API's `PutProductRequest`. */
export type PutProductRequest = {
  id?: string | undefined
  /** The product identifier used in orders. */
  sku: string
  name: string
  /** US dollars, rounded to the cent. */
  priceUsd: number
  description?: string | undefined
  /** The quantity for sale; -1 (default) means not counted. */
  stockQty?: number | undefined
  /** Defaults to false. */
  taxable?: boolean | undefined
  category?: string | null | undefined
  tags?: string[] | undefined
  images?: string[] | undefined
  attributes?: Record<string, unknown> | undefined
  costUsd?: number | null | undefined
  status?: 'active' | 'draft' | 'archived' | undefined
}

/** The API's `ChangeProductRequest`. */
export type ChangeProductRequest = {
  /** The product identifier used in orders. */
  sku?: string | undefined
  name?: string | undefined
  /** US dollars, rounded to the cent. */
  priceUsd?: number | undefined
  description?: string | undefined
  /** The quantity for sale; -1 (default) means not counted. */
  stockQty?: number | undefined
  /** Defaults to false. */
  taxable?: boolean | undefined
  category?: string | null | undefined
  tags?: string[] | undefined
  images?: string[] | undefined
  attributes?: Record<string, unknown> | undefined
  costUsd?: number | null | undefined
  status?: 'active' | 'draft' | 'archived' | undefined
}

/** The API's `Product`. */
export type Product = {
  id: string
  sku: string
  name: string
  description: string
  priceUsd: number
  stockQty: number
  taxable: boolean
  category: string | null
  tags: string[]
  images: string[]
  attributes: Record<string, unknown>
  status: 'active' | 'draft' | 'archived'
  /** Unix milliseconds. */
  createdAt: number
  /** Unix milliseconds. Sales do not change it. */
  updatedAt: number
  costUsd?: number | null | undefined
}

/** The API's `ProductList`. */
export type ProductList = {
  items: Product[]
  /** The number of products that match the filters, on all pages. */
  total: number
  nextCursor: string | null
  /** The datastore is unavailable; this is the last known state. */
  degraded?: true | undefined
  reason?: 'datastore_unavailable' | undefined
}

/** The API's `Split`. */
export type Split = {
  /** The split contract; null if none is configured. */
  address: string | null
  recipients: {
    /** Wallet. */
    address: string
    /** Basis points; the shares of a split add up to 10000. */
    sharesBps: number
  }[]
  version: number | null
  chainId: number
  /** Whether the contract is deployed. */
  deployed: boolean
  pending: null | {
    version: number
    address: string
    recipients: {
      /** Wallet. */
      address: string
      /** Basis points; the shares of a split add up to 10000. */
      sharesBps: number
    }[]
    /** Unix milliseconds. */
    effectiveAt: number
    deployed: boolean
  }
}

/** The API's `SplitTransaction`. */
export type SplitTransaction = {
  id: string
  receiptId: string
  amount: number
  /** The exact amount in base units of the token. */
  amountRaw: string
  /** The symbol of the token. */
  currency: string
  /** `held`: distributed, but a recipient could not be paid; its share is held in the contract. */
  status: 'pending' | 'distributed' | 'held'
  /** The time of the block, in ISO 8601. */
  timestamp: string
  transactionHash: string
  /** The platform's share of `amount`. */
  fees: number
}

/** The API's `ShopConfig`. */
export type ShopConfig = {
  name: string
  description: string
  bio: string
  arrangement: 'grid' | 'featured_first' | 'groups' | 'carousel'
  /** A number with at most two decimals. */
  xpPerDollar: number
  slug: string | null
  links: {
    label: string
    /** https URL */
    url: string
  }[]
  industryPack: 'restaurant' | 'retail' | 'hotel' | 'freelancer' | null
  theme: {
    /** Any CSS colour: 3, 4, 6 or 8 hex digits, `rgb()`, `hsl()` or a name. Stored as sent. */
    primaryColor: string
    /** Any CSS colour: 3, 4, 6 or 8 hex digits, `rgb()`, `hsl()` or a name. Stored as sent. */
    secondaryColor: string
    /** Any CSS colour: 3, 4, 6 or 8 hex digits, `rgb()`, `hsl()` or a name. Stored as sent. */
    textColor: string
    /** Any CSS colour: 3, 4, 6 or 8 hex digits, `rgb()`, `hsl()` or a name. Stored as sent. */
    accentColor: string
    /** An https URL, or empty for none. */
    brandLogoUrl: string
    /** An https URL, or empty for none. */
    coverPhotoUrl: string
    /** As in CSS. The first family that is one of these is used: Inter, Roboto, Open Sans, Montserrat, Nunito, Poppins, Lora, Playfair Display; otherwise the system font. */
    fontFamily: string
    logoShape: 'square' | 'circle'
    heroFontSize: 'microtext' | 'small' | 'medium' | 'large' | 'xlarge'
  }
  industryPackActivatedAt: number | null
  /** Whether name, slug and split are set. */
  setupComplete: boolean
  /** Unix milliseconds */
  createdAt: number
  /** Unix milliseconds */
  updatedAt: number
}

/** The API's `SiteConfig`. */
export type SiteConfig = {
  theme: {
    /** Any CSS colour: 3, 4, 6 or 8 hex digits, `rgb()`, `hsl()` or a name. Stored as sent. */
    primaryColor: string
    /** Any CSS colour: 3, 4, 6 or 8 hex digits, `rgb()`, `hsl()` or a name. Stored as sent. */
    secondaryColor: string
    /** An https URL, or empty for none. */
    brandLogoUrl: string
    /** An https URL, or empty for none. */
    brandFaviconUrl: string
    brandName: string
    /** As in CSS. The first family that is one of these is used: Inter, Roboto, Open Sans, Montserrat, Nunito, Poppins, Lora, Playfair Display; otherwise the system font. */
    fontFamily: string
    /** An https URL, or empty for none. */
    receiptBackgroundUrl: string
  }
  /** What buyers pay on top of the total; null for none. */
  processingFeePct: number | null
  defaultPaymentToken: 'USDC' | 'USDT' | 'ETH' | 'cbBTC' | 'cbXRP'
  /** Fractions by token symbol that add up to 1. */
  reserveRatios: Record<string, number> | null
}

/** The API's `FailureCode`. */
export type FailureCode = {
  code: string
  category: 'card_decline' | 'compliance' | 'limits' | 'blockchain' | 'session' | 'system'
  /** For people to read; may change. */
  reason: string
  /** What the merchant can do. For people to read; may change. */
  action: string
  /** Whether a retry helps: at once, after the action, or not at all. */
  retry: 'yes' | 'after_action' | 'no'
  /** The codes of payment providers that map to this code. */
  providerCodes: string[]
}

/** The API's `TaxJurisdiction`. */
export type TaxJurisdiction = {
  /** <country>-<region>, or the country alone if the rate applies to all its regions. */
  jurisdictionCode: string
  /** ISO 3166-1. */
  country: string
  /** Null for any region of the country. */
  region: string | null
  name: string
  /** A fraction: 0.0725 means 7.25 %. */
  taxRate: number
  components: {
    name: string
    taxRate: number
  }[]
  source: string
  /** The ISO date on which the source stated this rate. */
  date: string
}

/** The API's `WebhookBody`. */
export type WebhookBody = {
  event: 'receipt.status_updated'
  /** Deduplicate by this key: it is the same on every retry. */
  idempotencyKey: string
  receiptId: string
  /** The current status of the receipt. */
  status:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
  /** The status before. */
  previousStatus:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
  /** A PORTAL_* code; null unless failed, like the five fields below. */
  failureCode: string | null
  failureCategory: 'card_decline' | 'compliance' | 'limits' | 'blockchain' | 'session' | 'system' | null
  failureReason: string | null
  failureAction: string | null
  /** The payment provider's own code. */
  providerErrorCode: string | null
  /** The payment provider's support reference. */
  providerRequestId: string | null
  transactionHash: string | null
  buyerWallet: string | null
  merchantWallet: string
  /** The merchant's total in US dollars. */
  totalUsd: number
  /** The total including the processing fee. */
  customerTotalUsd?: number | undefined
  /** The amount from which the payment provider settled, if one was used. */
  providerSourceAmountUsd?: number | undefined
  /** The symbol of the payment token. */
  token: string
  providerSessionId: string | null
  isProviderSessionUnique: boolean
  /** Your reference, as sent with the receipt. */
  transactionId: string | null
  /** Your JSON, as sent with the receipt. */
  metadata: Record<string, unknown> | null
  brandKey: string
  /** When the event happened, in Unix milliseconds. */
  timestamp: number
  /** Of two events of a receipt, the one with the higher number is newer. */
  sequence: number
  /** The progress of the payment. */
  paymentState: 'none' | 'awaiting' | 'seen' | 'short' | 'paid' | 'over' | 'late' | 'expired' | 'orphaned'
}

/** The API's `FeedEvent`. */
export type FeedEvent = {
  /** Starts at 1 and counts up without gaps, in the order of the feed. */
  number: number
  receiptId: string
  /** The key of the webhook; deduplicate by it. */
  idempotencyKey: string
  /** Unix time in milliseconds */
  createdAt: number
  /** The hash of the previous event. */
  previousHash: string
  /** SHA-256 of the text of `previousHash` followed by `body`, in lower-case hex. */
  hash: string
  /** The exact body of the webhook, as JSON text. */
  body: string
}

/** The API's `FeedPage`. */
export type FeedPage = {
  events: FeedEvent[]
  /** Send it as `after` for the next page; null at the end of the feed. */
  nextCursor: string | null
  /** The number of the newest event; 0 if there is none. */
  last: number
}

/** The API's `Delivery`. */
export type Delivery = {
  id: string
  receiptId: string
  url: string
  event: string
  idempotencyKey: string
  sequence: number
  state: 'pending' | 'delivered' | 'superseded' | 'exhausted'
  /** The newer event of the receipt that is sent instead. */
  supersededBy: string | null
  createdAt: number
  settledAt: number | null
  /** Null once the delivery has ended. */
  nextAttemptAt: number | null
  attemptCount: number
  attempts: {
    attempt: number
    /** The X-Service-Delivery header of this attempt. */
    deliveryId: string
    /** Unix time in milliseconds */
    startedAt: number
    durationMs: number
    /** The HTTP status of the endpoint; null if there was no answer. */
    status: number | null
    /** Why there was no answer: refused-target, timeout, network or no-key. */
    fault: string | null
  }[]
}

/** The API's `DeliveryPage`. */
export type DeliveryPage = {
  deliveries: Delivery[]
  nextCursor: string | null
}

/** The API's `ReceiverReport`. */
export type ReceiverReport = {
  /** Whether every check passed. */
  ok: boolean
  url: string
  /** The receipt named in the deliveries. It does not exist. */
  receiptId: string
  faults: (
    | 'target_refused'
    | 'unreachable'
    | 'no_answer_in_time'
    | 'redirects'
    | 'valid_delivery_refused'
    | 'duplicate_refused'
    | 'out_of_order_refused'
    | 'unknown_field_refused'
    | 'bad_signature_accepted'
    | 'stale_time_accepted'
    | 'slow_answer'
  )[]
  checks: {
    name:
      | 'valid_delivery'
      | 'duplicate'
      | 'out_of_order'
      | 'unknown_field'
      | 'bad_signature'
      | 'stale_time'
      | 'slow_answer'
    result: 'passed' | 'failed' | 'skipped'
    fault:
      | 'target_refused'
      | 'unreachable'
      | 'no_answer_in_time'
      | 'redirects'
      | 'valid_delivery_refused'
      | 'duplicate_refused'
      | 'out_of_order_refused'
      | 'unknown_field_refused'
      | 'bad_signature_accepted'
      | 'stale_time_accepted'
      | 'slow_answer'
      | null
    expected: string
    advice: string | null
    status: number | null
    durationMs: number | null
  }[]
}

/** The API's `Claim`. */
export type Claim = {
  /** The number of the case, which the buyer has too. */
  id: string
  /** Whether the payer's wallet has signed it. Everything else is only what somebody wrote: check it before you return money. */
  isProven: boolean
  /** The wallet that has signed it, which is the payer. */
  wallet: string | null
  /** Where the buyer wants the money returned to. */
  refundAddress: string
  /** How to reach the buyer: plain text from a stranger. */
  contact: string | null
  /** What the buyer says of the payment: plain text from a stranger. */
  note: string | null
  /** Unix time in milliseconds */
  at: number
}

/** The API's `UnmatchedPayment`. */
export type UnmatchedPayment = {
  id: string
  state: 'open' | 'applied' | 'refunded' | 'kept'
  /** `wrong-token`, `unknown-reference`, `unknown-deposit` (a deposit address of no receipt), `unlisted-token` (a token that is not accepted, which somebody has asked about), `direct`, `receipt-settled` (already paid or refunded), `no-rate` (too late to price) or `too-many-payments` (a small one after 200 others). */
  reason: string
  /** The receipt it was meant for, if known. */
  receiptId: string | null
  /** With `unknown-deposit`: the only unpaid receipt of the last days that asks for this amount, if there is one. */
  suggestedReceiptId: string | null
  token: string | null
  tokenAddress: string
  /** With `unlisted-token`: what the contract calls itself. Any contract may call itself anything: compare the address. */
  tokenName: string | null
  amount: number
  /** The exact amount in base units of the token. */
  amountRaw: string
  payer: string | null
  transactionHash: string | null
  blockNumber: number
  /** The time of the block, in Unix milliseconds. */
  timestamp: number
  decision: null | {
    appliedTo: string | null
    refundId: string | null
    note: string | null
    /** The wallet that decided. */
    by: string
    at: number
  }
  /** The refund that was logged. The payment stays `open` until it counts. */
  refund: null | {
    txHash: string | null
    /** `tx_mined`: included in a block; `recipient_validated`: final, and matches what was logged; `tx_mismatch`: does not match. Null before that, and without a transaction. */
    mark: 'tx_mined' | 'recipient_validated' | 'tx_mismatch' | null
    /** Why it does not match; with `mark` null, why it is not proven: its transaction is missing from the chain. */
    fault: string | null
    /** Whether it counts towards `refunded`. */
    isCounted: boolean
  }
  /** The claim to look at first: the proven one, else the oldest. */
  claim: Claim | null
  /** The others, oldest first; at most five. */
  otherClaims: Claim[]
}

/** The API's `UnmatchedList`. */
export type UnmatchedList = {
  payments: UnmatchedPayment[]
  nextCursor: string | null
}

/** The API's `Checkout`. */
export type Checkout = {
  receiptId: string
  /** The merchant's wallet. */
  recipient: string
  brandName: string
  status: string
  currency: string
  totalUsd: number
  total?: number | undefined
  feeUsd: number
  customerTotalUsd: number
  lineItems: {
    label: string
    /** The price of the whole line, including the quantity. */
    priceUsd: number
    qty?: number | undefined
    amount?: number | undefined
  }[]
  valuation?:
    | {
        currency: string
        usdPerUnit: number
        quotedAt: number
        provider: string
      }
    | undefined
  createdAt: number
  expiresAt: number | null
  chain: {
    id: number
    name: string
    explorerUrl: string | null
  }
  tokens: {
    symbol: string
    name: string
    decimals: number
    address: string
    /** About what is still to be paid in it, at the rate of now; an attempt says it exactly. Null where nothing is to be paid, or no rate is at hand. */
    estimate: string | null
  }[]
  canPay: boolean
  /** Whether the service takes this amount. */
  isWithinLimits: boolean
  attempt: PaymentAttempt | null
  /** Symbols of the tokens in which one signature pays, and the service pays the gas; empty where that is not offered now. */
  signableTokens: string[]
  /** Symbols of further tokens in which one signature pays likewise, by wallets that have approved Permit2 for the token before. */
  permit2Tokens: string[]
  /** The newest payment that the buyer signed and the service submits. */
  signedPayment: {
    /** `waiting` to be submitted, `sent` to the network, `mined`: the money is at the deposit address, `failed`: it was not moved. */
    state: 'waiting' | 'sent' | 'mined' | 'failed'
    /** Why it failed. */
    reason: string | null
    attemptId: string
    payer: string
    /** In base units of the token. */
    amount: string
    transactionHash: string | null
    createdAt: number
  } | null
  payment: {
    state: string
    /** What proves that it is paid: `chain`, the money itself; `provider`, a signed event of the card provider, whose delivery may still be on its way; `admin`, a decision of yours. Null while it is not paid. */
    provenBy: 'chain' | 'provider' | 'admin' | null
    token: string | null
    decimals: number
    /** The exact amount in base units of the token. */
    due: string
    /** The exact amount in base units of the token. */
    received: string
    /** The exact amount in base units of the token. */
    missing: string
    /** The exact amount in base units of the token. */
    excess: string
    /** Received in other tokens than `token`. */
    otherTokens: {
      token: string
      decimals: number
      /** The exact amount in base units of the token. */
      received: string
    }[]
    confirmations: number
    requiredConfirmations: number
    finality: string
    transactionHash: string | null
    payer: string | null
  }
  /** Payments that came for this receipt, do not count towards it, and about which the merchant has not decided: the buyer may claim them (`/claim`). Newest first, five at most. */
  unmatched: {
    transactionHash: string
  }[]
  failure: {
    /** A PORTAL_* code; a sanctions match reads as a blocked transaction. */
    code: string
    category: 'card_decline' | 'compliance' | 'limits' | 'blockchain' | 'session' | 'system'
    providerRequestId: string | null
  } | null
  cancelledAt: number | null
  refunds: {
    usd: number
    kind: 'price' | 'excess'
    /** False while its transaction is still to be verified. */
    isConfirmed: boolean
    transactionHash: string | null
  }[]
  /** What of the total was returned for sure. */
  refundedUsd: number
  /** Where the buyer goes now that the receipt is paid: `returnUrl`, else the URL in `onSuccess`, else `redirect_url`; null before. */
  returnUrl: string | null
  /** Who takes a card or a bank account for it; null where nobody does, or not this amount, or nothing is to be paid. */
  onramp: {
    provider: string
    /** Empty while a payment is confirming: the rest can be paid afterwards. */
    methods: ('card' | 'ach')[]
    /** How a payment by card or bank stands that was begun last: not over, or failed; null where none was. */
    session: 'open' | 'failed' | null
  } | null
  /** A script in `onSuccess` runs in a sandboxed frame of the checkout once the receipt is paid. */
  hasOnSuccess: boolean
  /** The way back to the shop before the payment: the origin of the URL that follows a payment, without its path, else the storefront of an order. */
  shopUrl: string | null
  transactionHash: string | null
}

/** The API's `PaymentAttempt`. */
export type PaymentAttempt = {
  attemptId: string
  token: string
  /** The exact amount in base units of the token. */
  amount: string
  /** The exact amount in base units of the token. */
  remaining: string
  rate: {
    usdPerUnit: number
    quotedAt: number
    provider: string
  }
  expiresAt: number
  reference: string
  /** The split contract, for a call that carries the reference. */
  payTo: string
  /** The address of this attempt, for a plain transfer from anywhere. */
  depositAddress: string
  calls: {
    kind: 'approve' | 'pay' | 'transfer'
    chainId: number
    to: string
    data: string
    /** Wei as 0x-prefixed hex. */
    value: string
  }[]
  eip681: string
}

/** The API's `Subscription`. */
export type Subscription = {
  id: string
  merchantWallet: string
  name: string
  scopes: (
    | 'inventory:read'
    | 'inventory:write'
    | 'orders:create'
    | 'receipts:read'
    | 'receipts:write'
    | 'shop:read'
    | 'split:read'
  )[]
  mode: 'live' | 'test'
  /** Unix milliseconds. */
  createdAt: number
  /** Accurate to the minute. */
  lastUsedAt: number | null
  /** Neither key works from then on. */
  revokedAt: number | null
  /** The active keys; none once the subscription is revoked. */
  keys: {
    id: string
    slot: 'primary' | 'secondary'
    /** The prefix and the last four characters. */
    hint: string
    /** Unix milliseconds. */
    createdAt: number
    /** The member who created it; null if it was created on the command line. */
    madeBy: string | null
  }[]
}

/** The API's `Member`. */
export type Member = {
  wallet: string
  role: 'owner' | 'admin' | 'developer' | 'cashier' | 'viewer'
  /** Unix milliseconds. */
  createdAt: number
}

/** The API's `AuditEntry`. */
export type AuditEntry = {
  /** Counts up from 1 without gaps. */
  sequence: number
  /** Unix milliseconds. */
  at: number
  /** A wallet, `subscription:<id>`, `system` or `nobody`. */
  actor: string
  /** For example `subscription.created`. */
  action: string
  /** The object of the action. */
  subject: string
  details: Record<string, unknown>
  correlationId: string | null
  previousHash: string
  /** HMAC-SHA256 of this entry and the previous hash. */
  hash: string
}

/** The API's `RequestLogEntry`. */
export type RequestLogEntry = {
  /** Unix milliseconds. */
  at: number
  method: string
  /** The path as documented, without ids. */
  route: string
  status: number
  correlationId: string
  subscriptionId: string | null
  /** Null for requests with a session. */
  keyId: string | null
  /** The wallet that was logged in; null for a key. */
  wallet: string | null
  /** The IP address of the request. */
  address: string
}

/** The API's `Settings`. */
export type Settings = {
  finality: {
    /** Payments of this total or more must be in a safe block. */
    safeFromUsd: number
    /** Payments of this total or more must be in a finalized block. */
    finalFromUsd: number
  }
  taxRates: {
    /** Tax jurisdiction: <country>-<region>, or the country alone if all its regions have one rate. */
    jurisdictionCode: string
    /** A fraction with at most six decimals. */
    rate: number
    components: string[]
  }[]
  /** The origins whose pages may show the checkout in a frame. */
  embedOrigins: string[]
  /** Null if the settings were never changed. */
  updatedAt: number | null
}

/** The API's `FieldWarning`. */
export type FieldWarning = {
  /** The path in the body, separated by `/`. */
  path: string
  message: string
  /** The field that was probably meant. */
  didYouMean: string | null
}

/** The API's `Warned`. */
export type Warned = {
  /** Fields of the body that were ignored or replaced something; absent if there are none. */
  warnings?: FieldWarning[] | undefined
}

/** The API's `ListReceiptsQuery`. */
export type ListReceiptsQuery = {
  /** One or several, separated by commas: generated, pending, paid, paid - ach pending, reconciled, failed, refund_requested, refunded, cancelled. `cancelled` finds what was cancelled and is not paid; its `status` does not find it. */
  status?: string | undefined
  /** Created at this time or later, Unix milliseconds. */
  from?: number | undefined
  /** Created before this time, Unix milliseconds. */
  to?: number | undefined
  /** A receipt id or its beginning, the hash of a payment or at least six digits of its beginning, an e-mail address, a `transactionId`, or a value of the metadata. */
  q?: string | undefined
  /** The receipt's own currency. */
  currency?: 'USD' | 'EUR' | undefined
  /** The smallest total: in `currency`, or, without it, in US dollars. */
  min?: number | undefined
  /** The largest total: in `currency`, or, without it, in US dollars. */
  max?: number | undefined
  /** One or several, separated by commas: generated, pending, paid, paid - ach pending, reconciled, failed, refund_requested, refunded, cancelled, confirming, underpaid, expired, stopped, overpaid, reversed. Each receipt has one, which it is listed with. */
  displayStatus?: string | undefined
  /** The order; descending with `-`. `amount` is the total in US dollars. */
  sort?: '-createdAt' | 'createdAt' | '-amount' | 'amount' | undefined
  /** The maximum number of entries to return. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** The API's `ReceiptSummaryQuery`. */
export type ReceiptSummaryQuery = {
  /** One or several, separated by commas: generated, pending, paid, paid - ach pending, reconciled, failed, refund_requested, refunded, cancelled. `cancelled` finds what was cancelled and is not paid; its `status` does not find it. */
  status?: string | undefined
  /** Created at this time or later, Unix milliseconds. */
  from?: number | undefined
  /** Created before this time, Unix milliseconds. */
  to?: number | undefined
  /** A receipt id or its beginning, the hash of a payment or at least six digits of its beginning, an e-mail address, a `transactionId`, or a value of the metadata. */
  q?: string | undefined
  /** The receipt's own currency. */
  currency?: 'USD' | 'EUR' | undefined
  /** The smallest total: in `currency`, or, without it, in US dollars. */
  min?: number | undefined
  /** The largest total: in `currency`, or, without it, in US dollars. */
  max?: number | undefined
  /** Adds `series`, with one point for each of these. */
  interval?: 'hour' | 'day' | 'week' | 'month' | undefined
  /** The IANA time zone in which days, weeks and months begin. */
  timezone?: string | undefined
}

/** The API's `ExportReceiptsQuery`. */
export type ExportReceiptsQuery = {
  /** One or several, separated by commas: generated, pending, paid, paid - ach pending, reconciled, failed, refund_requested, refunded, cancelled. `cancelled` finds what was cancelled and is not paid; its `status` does not find it. */
  status?: string | undefined
  /** Created at this time or later, Unix milliseconds. */
  from?: number | undefined
  /** Created before this time, Unix milliseconds. */
  to?: number | undefined
  /** A receipt id or its beginning, the hash of a payment or at least six digits of its beginning, an e-mail address, a `transactionId`, or a value of the metadata. */
  q?: string | undefined
  /** The receipt's own currency. */
  currency?: 'USD' | 'EUR' | undefined
  /** The smallest total: in `currency`, or, without it, in US dollars. */
  min?: number | undefined
  /** The largest total: in `currency`, or, without it, in US dollars. */
  max?: number | undefined
  /** One or several, separated by commas: generated, pending, paid, paid - ach pending, reconciled, failed, refund_requested, refunded, cancelled, confirming, underpaid, expired, stopped, overpaid, reversed. Each receipt has one, which it is listed with. */
  displayStatus?: string | undefined
  /** The order; descending with `-`. `amount` is the total in US dollars. */
  sort?: '-createdAt' | 'createdAt' | '-amount' | 'amount' | undefined
}

/** The API's `ReceiptTimeline`. */
export type ReceiptTimeline = {
  receiptId: string
  entries: {
    /** Unix milliseconds. */
    at: number
    /** What happened: an event of the receipt, `webhook_attempt`, or `checkout_event` for what checkout pages reported. */
    kind: string
    fromStatus: string | null
    toStatus: string | null
    detail: Record<string, unknown>
  }[]
  /** The number of entries left out of the middle of a very long one. */
  omitted: number
}

/** The API's `ListProductsQuery`. */
export type ListProductsQuery = {
  /** Without a key: the slug of the shop. */
  slug?: string | undefined
  /** Searches name, sku and description, ignoring case. */
  q?: string | undefined
  category?: string | undefined
  /** Comma-separated. Products must have all of them. */
  tags?: string | undefined
  taxable?: 'true' | 'false' | 'any' | undefined
  /** Defaults to `any`. */
  stock?: 'in' | 'out' | 'any' | undefined
  /** US dollars. */
  priceMin?: number | undefined
  /** US dollars. */
  priceMax?: number | undefined
  /** Defaults to everything except `archived`. Not available without a key. */
  status?: 'active' | 'draft' | 'archived' | 'any' | undefined
  /** Defaults to `updatedAt`. */
  sort?: 'name' | 'sku' | 'priceUsd' | 'stockQty' | 'updatedAt' | undefined
  /** Defaults to `asc`; for `updatedAt`, to `desc`. */
  order?: 'asc' | 'desc' | undefined
  /** The maximum number of entries to return. */
  limit?: number | undefined
  cursor?: string | undefined
}

/** The API's `DeliveriesQuery`. */
export type DeliveriesQuery = {
  receiptId?: string | undefined
  state?: 'pending' | 'delivered' | 'superseded' | 'exhausted' | undefined
  /** The only kind of event that there is. */
  event?: 'receipt.status_updated' | undefined
  /** The maximum number of entries to return. */
  limit?: number | undefined
  cursor?: string | undefined
}
