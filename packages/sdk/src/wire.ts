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
  /** Yours, and unique. */
  id: string
  /** All with `priceUsd` (legacy format) or all with `amount` (native format). */
  lineItems: {
    label: string
    /** Legacy format: US dollars. */
    priceUsd?: number | undefined
    /** Native format: extended line amount in the receipt's currency, whole cents. */
    amount?: number | undefined
    qty?: number | undefined
  }[]
  /** Default USD; taken in any case. */
  currency?: 'USD' | 'EUR' | undefined
  /** Native format: must equal the sum of the amounts, which it is by default. */
  total?: number | undefined
  /** Legacy format, required there. */
  totalUsd?: number | undefined
  /** https; where the card provider sends the buyer after its hosted flow. */
  redirect_url?: string | undefined
  /** Another name of `redirect_url`. @deprecated */
  redirectUrl?: string | undefined
  /** Where the buyer is sent after a successful payment. */
  returnUrl?: string | undefined
  /** Another name of `returnUrl`. @deprecated */
  return_url?: string | undefined
  /** https; where status changes are told. */
  webhook_url?: string | undefined
  /** Another name of `webhook_url`. @deprecated */
  webhookUrl?: string | undefined
  /** A redirect URL, or a script the checkout runs after a successful payment. */
  onSuccess?: string | undefined
  /** Fills in the provider's e-mail field; the billing e-mail where none is sent. */
  providerEmail?: string | undefined
  billingFirstName?: string | undefined
  /** Another name of `billingFirstName`. @deprecated */
  customerFirstName?: string | undefined
  billingLastName?: string | undefined
  /** Another name of `billingLastName`. @deprecated */
  customerLastName?: string | undefined
  billingEmail?: string | undefined
  /** Another name of `billingEmail`. @deprecated */
  customerEmail?: string | undefined
  billingPhone?: string | undefined
  /** Another name of `billingPhone`. @deprecated */
  customerPhone?: string | undefined
  billingAddressLine1?: string | undefined
  /** Another name of `billingAddressLine1`. @deprecated */
  customerAddressLine1?: string | undefined
  billingAddressLine2?: string | undefined
  /** Another name of `billingAddressLine2`. @deprecated */
  customerAddressLine2?: string | undefined
  billingAddressCity?: string | undefined
  /** Another name of `billingAddressCity`. @deprecated */
  customerAddressCity?: string | undefined
  /** Two letters preferred. */
  billingAddressState?: string | undefined
  /** Another name of `billingAddressState`. @deprecated */
  customerAddressState?: string | undefined
  billingAddressPostalCode?: string | undefined
  /** Another name of `billingAddressPostalCode`. @deprecated */
  billingAddressZip?: string | undefined
  /** Another name of `billingAddressPostalCode`. @deprecated */
  customerAddressPostalCode?: string | undefined
  /** ISO 3166-1, two letters. */
  billingAddressCountry?: string | undefined
  /** Another name of `billingAddressCountry`. @deprecated */
  customerAddressCountry?: string | undefined
  /** Your own; at most 8 KiB of JSON. */
  metadata?: Record<string, unknown> | undefined
  /** Your own reference; comes back in webhooks. */
  transactionId?: string | undefined
  /** Another name of `transactionId`. @deprecated */
  clientTransactionId?: string | undefined
  /** Unix milliseconds. */
  expiresAt?: number | undefined
  /** <country>-<region>. */
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
  /** The `redirect_url` given. */
  redirectUrl: string | null
  /** The `webhook_url` given. */
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
  /** Native receipts: the total in `currency`. */
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
  /** Native receipts: the total in `currency`. */
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
    token: string | null
    due: number
    dueRaw: string
    received: number
    receivedRaw: string
    missing: number
    missingRaw: string
    excess: number
    excessRaw: string
    confirmations: number
    finality: 'none' | 'seen' | 'safe' | 'final'
    coverage: {
      blockNumber: number | null
      scannedTo: number | null
    }
  }
  timeline: {
    at: number
    kind: string
    fromStatus: string | null
    toStatus: string | null
    detail: Record<string, unknown>
  }[]
  /** How many entries between the first and the last ones are left out; 0 below some five hundred. */
  timelineOmitted: number
  refunds: Refund[]
  telemetry: {
    /** What checkout pages told of themselves; proves nothing. */
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
  providerEmail: string | null
}

/** The API's `ReceiptList`. */
export type ReceiptList = {
  receipts: Receipt[]
  nextCursor: string | null
  /** The datastore is away; this is what was known. */
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
  /** The token's symbol once paid, the receipt's currency before. */
  currency: string
  amount: number
  /** Base units received, once paid in a token. */
  amountRaw?: string | undefined
  transactionHash: string | null
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
  /** `price`: of the receipt's total; `excess`: of what was paid beyond it; `unmatched`: of money that no receipt explains. */
  kind: 'price' | 'excess' | 'unmatched'
  usd: number
  buyer: string | null
  items: {
    label: string
    priceUsd: number
    qty?: number | undefined
  }[]
  txHash: string | null
  /** `tx_mined`: in a block; `recipient_validated`: it is what was logged, and sure; `tx_mismatch`: it is not. Null before, and without a transaction. */
  mark: 'tx_mined' | 'recipient_validated' | 'tx_mismatch' | null
  /** Why it is a mismatch. */
  fault: string | null
  /** It counts towards `refunded`. */
  isCounted: boolean
  /** The wallet that logged it. */
  by: string
  /** Unix time in milliseconds */
  createdAt: number
}

/** The API's `CreateOrderRequest`. */
export type CreateOrderRequest = {
  /** Each names a product by sku or by id; by both where they agree. */
  items: {
    /** Either this or `id`. */
    sku?: string | undefined
    /** The product's own id. */
    id?: string | undefined
    qty: number
  }[]
  /** Tax jurisdiction, <country>-<region>. */
  jurisdictionCode: string
  /** A fraction of at most six decimals. */
  taxRate?: number | undefined
  /** Descriptive only. */
  taxComponents?: string[] | undefined
  /** https; where the card provider sends the buyer after its hosted flow. */
  redirect_url?: string | undefined
  /** Another name of `redirect_url`. @deprecated */
  redirectUrl?: string | undefined
  /** Where the buyer is sent after a successful payment. */
  returnUrl?: string | undefined
  /** Another name of `returnUrl`. @deprecated */
  return_url?: string | undefined
  /** https; where status changes are told. */
  webhook_url?: string | undefined
  /** Another name of `webhook_url`. @deprecated */
  webhookUrl?: string | undefined
  /** A redirect URL, or a script the checkout runs after a successful payment. */
  onSuccess?: string | undefined
  /** Fills in the provider's e-mail field; the billing e-mail where none is sent. */
  providerEmail?: string | undefined
  billingFirstName?: string | undefined
  /** Another name of `billingFirstName`. @deprecated */
  customerFirstName?: string | undefined
  billingLastName?: string | undefined
  /** Another name of `billingLastName`. @deprecated */
  customerLastName?: string | undefined
  billingEmail?: string | undefined
  /** Another name of `billingEmail`. @deprecated */
  customerEmail?: string | undefined
  billingPhone?: string | undefined
  /** Another name of `billingPhone`. @deprecated */
  customerPhone?: string | undefined
  billingAddressLine1?: string | undefined
  /** Another name of `billingAddressLine1`. @deprecated */
  customerAddressLine1?: string | undefined
  billingAddressLine2?: string | undefined
  /** Another name of `billingAddressLine2`. @deprecated */
  customerAddressLine2?: string | undefined
  billingAddressCity?: string | undefined
  /** Another name of `billingAddressCity`. @deprecated */
  customerAddressCity?: string | undefined
  /** Two letters preferred. */
  billingAddressState?: string | undefined
  /** Another name of `billingAddressState`. @deprecated */
  customerAddressState?: string | undefined
  billingAddressPostalCode?: string | undefined
  /** Another name of `billingAddressPostalCode`. @deprecated */
  billingAddressZip?: string | undefined
  /** Another name of `billingAddressPostalCode`. @deprecated */
  customerAddressPostalCode?: string | undefined
  /** ISO 3166-1, two letters. */
  billingAddressCountry?: string | undefined
  /** Another name of `billingAddressCountry`. @deprecated */
  customerAddressCountry?: string | undefined
  /** Your own; at most 8 KiB of JSON. */
  metadata?: Record<string, unknown> | undefined
  /** Your own reference; comes back in webhooks. */
  transactionId?: string | undefined
  /** Another name of `transactionId`. @deprecated */
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
  /** The receipt's. */
  status:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
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
  /** The part of the subtotal that is taxed. */
  taxableUsd: number
  taxUsd: number
  totalUsd: number
  jurisdictionCode: string
  taxRate: number
  taxComponents: string[]
  /** Who said the rate; none where nobody has one and nothing is taxable. */
  taxFrom: 'request' | 'merchant' | 'catalog' | 'none'
  /** held, taken or given_back; null where nothing in the order is counted. */
  stock: 'held' | 'taken' | 'given_back' | null
  /** Paid after its stock went back: what could not be taken any more. */
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
  /** The receipt's. */
  status:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
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
  /** The part of the subtotal that is taxed. */
  taxableUsd: number
  taxUsd: number
  totalUsd: number
  jurisdictionCode: string
  taxRate: number
  taxComponents: string[]
  /** Who said the rate; none where nobody has one and nothing is taxable. */
  taxFrom: 'request' | 'merchant' | 'catalog' | 'none'
  /** held, taken or given_back; null where nothing in the order is counted. */
  stock: 'held' | 'taken' | 'given_back' | null
  /** Paid after its stock went back: what could not be taken any more. */
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
  /** Product identifier used in orders. */
  sku: string
  name: string
  /** US dollars; more than two decimals are rounded to the cent. */
  priceUsd: number
  description?: string | undefined
  /** What can still be sold; -1 (default): not counted. */
  stockQty?: number | undefined
  /** Default false. */
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
  /** Product identifier used in orders. */
  sku?: string | undefined
  name?: string | undefined
  /** US dollars; more than two decimals are rounded to the cent. */
  priceUsd?: number | undefined
  description?: string | undefined
  /** What can still be sold; -1 (default): not counted. */
  stockQty?: number | undefined
  /** Default false. */
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
  /** Unix milliseconds; sales do not move it. */
  updatedAt: number
  costUsd?: number | null | undefined
}

/** The API's `ProductList`. */
export type ProductList = {
  items: Product[]
  /** How many there are under these filters, on all pages. */
  total: number
  nextCursor: string | null
  /** The datastore is away; this is what was known. */
  degraded?: true | undefined
  reason?: 'datastore_unavailable' | undefined
}

/** The API's `Split`. */
export type Split = {
  /** Split contract; null when not configured. */
  address: string | null
  recipients: {
    /** Wallet. */
    address: string
    /** Basis points; the rows of a split add up to 10000. */
    sharesBps: number
  }[]
  version: number | null
  chainId: number
  /** The contract stands on the chain. */
  deployed: boolean
  pending: null | {
    version: number
    address: string
    recipients: {
      /** Wallet. */
      address: string
      /** Basis points; the rows of a split add up to 10000. */
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
  /** Base units of the token, exact. */
  amountRaw: string
  /** Symbol of the token. */
  currency: string
  /** `held`: distributed, but a recipient could not be paid; its part waits in the contract. */
  status: 'pending' | 'distributed' | 'held'
  /** ISO 8601, the time of the block. */
  timestamp: string
  transactionHash: string
  /** The platform's part of `amount`. */
  fees: number
}

/** The API's `ShopConfig`. */
export type ShopConfig = {
  name: string
  description: string
  bio: string
  arrangement: 'grid' | 'featured_first' | 'groups' | 'carousel'
  /** At most two decimals. */
  xpPerDollar: number
  slug: string | null
  links: {
    label: string
    /** https URL */
    url: string
  }[]
  industryPack: 'restaurant' | 'retail' | 'hotel' | 'freelancer' | null
  theme: {
    /** Any colour of CSS: hex of 3, 4, 6 or 8 digits, `rgb()`, `hsl()`, a name. Kept as it was sent. */
    primaryColor: string
    /** Any colour of CSS: hex of 3, 4, 6 or 8 digits, `rgb()`, `hsl()`, a name. Kept as it was sent. */
    secondaryColor: string
    /** Any colour of CSS: hex of 3, 4, 6 or 8 digits, `rgb()`, `hsl()`, a name. Kept as it was sent. */
    textColor: string
    /** Any colour of CSS: hex of 3, 4, 6 or 8 digits, `rgb()`, `hsl()`, a name. Kept as it was sent. */
    accentColor: string
    /** https URL, or empty where there is none. */
    brandLogoUrl: string
    /** https URL, or empty where there is none. */
    coverPhotoUrl: string
    /** As in CSS; empty for the one of the system. */
    fontFamily: string
    logoShape: 'square' | 'circle'
    heroFontSize: 'microtext' | 'small' | 'medium' | 'large' | 'xlarge'
  }
  industryPackActivatedAt: number | null
  /** Name, slug and split are set. */
  setupComplete: boolean
  /** Unix milliseconds */
  createdAt: number
  /** Unix milliseconds */
  updatedAt: number
}

/** The API's `SiteConfig`. */
export type SiteConfig = {
  theme: {
    /** Any colour of CSS: hex of 3, 4, 6 or 8 digits, `rgb()`, `hsl()`, a name. Kept as it was sent. */
    primaryColor: string
    /** Any colour of CSS: hex of 3, 4, 6 or 8 digits, `rgb()`, `hsl()`, a name. Kept as it was sent. */
    secondaryColor: string
    /** https URL, or empty where there is none. */
    brandLogoUrl: string
    /** https URL, or empty where there is none. */
    brandFaviconUrl: string
    brandName: string
    /** As in CSS; empty for the one of the system. */
    fontFamily: string
    /** https URL, or empty where there is none. */
    receiptBackgroundUrl: string
  }
  /** What buyers pay on top of a total; null for nothing. */
  processingFeePct: number | null
  defaultPaymentToken: 'USDC' | 'USDT' | 'ETH' | 'cbBTC' | 'cbXRP'
  /** Fractions by token symbol that add up to 1. */
  reserveRatios: Record<string, number> | null
}

/** The API's `FailureCode`. */
export type FailureCode = {
  code: string
  category: 'card_decline' | 'compliance' | 'limits' | 'blockchain' | 'session' | 'system'
  /** For people; may change. */
  reason: string
  /** What the merchant can do; for people; may change. */
  action: string
  /** Whether paying again helps: as it is, after the action, or not at all. */
  retry: 'yes' | 'after_action' | 'no'
  /** The structured codes of payment providers that become this code. */
  providerCodes: string[]
}

/** The API's `TaxJurisdiction`. */
export type TaxJurisdiction = {
  /** <country>-<region>; the country alone where every region has its rate. */
  jurisdictionCode: string
  /** ISO 3166-1. */
  country: string
  /** null: any region of the country. */
  region: string | null
  name: string
  /** A fraction: 0.0725 is 7.25 %. */
  taxRate: number
  components: {
    name: string
    taxRate: number
  }[]
  source: string
  /** ISO date on which the source gave this rate. */
  date: string
}

/** The API's `WebhookBody`. */
export type WebhookBody = {
  event: 'receipt.status_updated'
  /** Deduplicate by this: stable across retries. */
  idempotencyKey: string
  receiptId: string
  /** What the receipt is now. */
  status:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
  /** What it was before. */
  previousStatus:
    | 'generated'
    | 'pending'
    | 'paid'
    | 'paid - ach pending'
    | 'reconciled'
    | 'failed'
    | 'refund_requested'
    | 'refunded'
  /** Of the PORTAL_* family; null unless failed, as the five below. */
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
  /** The merchant's order total in US dollars. */
  totalUsd: number
  /** With the processing fee. */
  customerTotalUsd?: number | undefined
  /** What the payment provider settled from, where there is one. */
  providerSourceAmountUsd?: number | undefined
  /** The payment token's symbol. */
  token: string
  providerSessionId: string | null
  isProviderSessionUnique: boolean
  /** Your reference, as it was sent with the receipt. */
  transactionId: string | null
  /** Your JSON, as it was sent with the receipt. */
  metadata: Record<string, unknown> | null
  brandKey: string
  /** Time of the event, Unix milliseconds. */
  timestamp: number
  /** Of two notifications of a receipt the higher is newer. */
  sequence: number
  /** How far the money is. */
  paymentState: 'none' | 'awaiting' | 'seen' | 'short' | 'paid' | 'over' | 'late' | 'expired' | 'orphaned'
}

/** The API's `FeedEvent`. */
export type FeedEvent = {
  /** From 1, without a gap, in the order of the feed. */
  number: number
  receiptId: string
  /** The one the webhook carries: deduplicate by it. */
  idempotencyKey: string
  /** Unix time in milliseconds */
  createdAt: number
  /** The hash of the event before it. */
  previousHash: string
  /** SHA-256 over the text of `previousHash` followed by `body`, lower-case hex. */
  hash: string
  /** The webhook's body, character for character: a JSON text. */
  body: string
}

/** The API's `FeedPage`. */
export type FeedPage = {
  events: FeedEvent[]
  /** The number to go on after; null where this page reaches the end. */
  nextCursor: string | null
  /** The number of the newest event; 0 before the first. */
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
  /** The newer notification of the receipt that goes instead. */
  supersededBy: string | null
  createdAt: number
  settledAt: number | null
  /** Null once it is settled. */
  nextAttemptAt: number | null
  attemptCount: number
  attempts: {
    attempt: number
    /** X-Service-Delivery of this attempt. */
    deliveryId: string
    /** Unix time in milliseconds */
    startedAt: number
    durationMs: number
    /** The receiver's HTTP status; null where none came. */
    status: number | null
    /** Why no answer came: refused-target, timeout, network or no-key. */
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
  /** Every check passed. */
  ok: boolean
  url: string
  /** The receipt the deliveries tell of; it does not exist. */
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

/** The API's `UnmatchedPayment`. */
export type UnmatchedPayment = {
  id: string
  state: 'open' | 'applied' | 'refunded' | 'kept'
  /** `wrong-token`, `unknown-reference`, `direct`, `receipt-settled` (paid already) or `no-rate` (too late to price). */
  reason: string
  /** The receipt it was sent for all the same, where that is known. */
  receiptId: string | null
  token: string | null
  tokenAddress: string
  amount: number
  /** Base units of the token, exact. */
  amountRaw: string
  payer: string | null
  transactionHash: string | null
  blockNumber: number
  /** Time of the block, Unix milliseconds. */
  timestamp: number
  decision: null | {
    appliedTo: string | null
    refundId: string | null
    note: string | null
    /** The wallet that decided. */
    by: string
    at: number
  }
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
    /** Extended: includes the quantity. */
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
  }[]
  canPay: boolean
  attempt: PaymentAttempt | null
  payment: {
    state: string
    token: string | null
    decimals: number
    /** Base units of the token, exact. */
    due: string
    /** Base units of the token, exact. */
    received: string
    /** Base units of the token, exact. */
    missing: string
    /** Base units of the token, exact. */
    excess: string
    confirmations: number
    requiredConfirmations: number
    finality: string
    transactionHash: string | null
    payer: string | null
  }
  failure: {
    failureReason: string | null
    failureAction: string | null
    providerRequestId: string | null
  } | null
  returnUrl: string | null
  transactionHash: string | null
}

/** The API's `PaymentAttempt`. */
export type PaymentAttempt = {
  attemptId: string
  token: string
  /** Base units of the token, exact. */
  amount: string
  /** Base units of the token, exact. */
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
  /** The attempt's own address, for a plain transfer from anywhere. */
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
  /** Exact to a minute. */
  lastUsedAt: number | null
  /** From then on neither key is good for anything. */
  revokedAt: number | null
  /** The keys in force; none once the subscription is revoked. */
  keys: {
    id: string
    slot: 'primary' | 'secondary'
    /** Beginning and last four signs. */
    hint: string
    /** Unix milliseconds. */
    createdAt: number
    /** The member who made it and answers for it; null where it was made at the service itself. */
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
  /** Counts from 1 without a gap. */
  sequence: number
  /** Unix milliseconds. */
  at: number
  /** A wallet, `subscription:<id>`, `system` or `nobody`. */
  actor: string
  /** `subscription.created` for example. */
  action: string
  /** What it was done to. */
  subject: string
  details: Record<string, unknown>
  correlationId: string | null
  previousHash: string
  /** HMAC-SHA256 over this entry and the previous hash. */
  hash: string
}

/** The API's `RequestLogEntry`. */
export type RequestLogEntry = {
  /** Unix milliseconds. */
  at: number
  method: string
  /** The path as the API writes it, without ids. */
  route: string
  status: number
  correlationId: string
  subscriptionId: string | null
  /** Null for a session. */
  keyId: string | null
  /** Who was logged in; null for a key. */
  wallet: string | null
  /** Where it came from. */
  address: string
}

/** The API's `Settings`. */
export type Settings = {
  finality: {
    /** From this total on a payment has to be safe. */
    safeFromUsd: number
    /** From this total on a payment has to be final. */
    finalFromUsd: number
  }
  taxRates: {
    jurisdictionCode: string
    /** Fraction of at most six decimals. */
    rate: number
    components: string[]
  }[]
  /** E-mail address for what the merchant should know. */
  notificationAddress: string | null
  /** Null while nothing was ever changed. */
  updatedAt: number | null
}

/** The API's `FieldWarning`. */
export type FieldWarning = {
  /** Where in the body, `/` between the steps. */
  path: string
  message: string
  /** The field that may have been meant. */
  didYouMean: string | null
}

/** The API's `Warned`. */
export type Warned = {
  /** Fields of the body that were ignored; absent where every one is known. */
  warnings?: FieldWarning[] | undefined
}

/** The API's `ListProductsQuery`. */
export type ListProductsQuery = {
  /** Public reads: the shop. */
  slug?: string | undefined
  /** In name, sku or description, any case. */
  q?: string | undefined
  category?: string | undefined
  /** Separated by commas; all must be there. */
  tags?: string | undefined
  taxable?: 'true' | 'false' | 'any' | undefined
  /** Default any. */
  stock?: 'in' | 'out' | 'any' | undefined
  /** US dollars. */
  priceMin?: number | undefined
  /** US dollars. */
  priceMax?: number | undefined
  /** By default all but archived. Not in public reads. */
  status?: 'active' | 'draft' | 'archived' | 'any' | undefined
  /** Default updatedAt. */
  sort?: 'name' | 'sku' | 'priceUsd' | 'stockQty' | 'updatedAt' | undefined
  /** Default asc; of updatedAt desc. */
  order?: 'asc' | 'desc' | undefined
  /** How many at most. */
  limit?: number | undefined
  cursor?: string | undefined
}

/** The API's `DeliveriesQuery`. */
export type DeliveriesQuery = {
  receiptId?: string | undefined
  state?: 'pending' | 'delivered' | 'superseded' | 'exhausted' | undefined
  /** How many at most. */
  limit?: number | undefined
  cursor?: string | undefined
}
