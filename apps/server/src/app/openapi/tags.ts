/** Operation tags with their descriptions, in the order in which an integrator needs them. */
export const tagGroups: readonly {
  readonly name: string
  readonly tags: Readonly<Record<string, string>>
}[] = [
  {
    name: 'Sell',
    tags: {
      receipts: 'Create and read receipts, report their status, log refunds, and sell at the counter.',
      orders: 'Orders for products: each one reserves stock, adds tax and creates a receipt to pay.',
      inventory: 'The products that orders refer to.',
      tax: 'The built-in tax rates.',
      terminal: 'For the point of sale: check whether a receipt is paid.',
      loyalty: 'The points that buyers earn by paying.',
    },
  },
  {
    name: 'Follow payments',
    tags: {
      notifications: 'The events this service sends to the `webhook_url` of a receipt.',
      webhooks: 'Deliveries of events to your webhook endpoint, and a test of the endpoint.',
      events: 'The feed of all events, numbered and linked by hashes.',
      'failure-codes': 'The reasons why a payment can fail, and whether a retry helps.',
    },
  },
  {
    name: 'Pay',
    tags: {
      checkout: 'The requests of the checkout page.',
      payments: 'Payments that match no receipt.',
      onramp: 'Events from providers of card and bank payments.',
    },
  },
  {
    name: 'Pay out',
    tags: {
      split: 'The recipients of each payment, and the amounts that passed through the contract.',
      deposits: 'Deposits that wait to be swept into their split.',
      keeper: 'For operators: the account that pays the gas of sweeps and distributions.',
    },
  },
  {
    name: 'Account',
    tags: {
      subscriptions: 'Subscriptions, with the API keys and scopes that programs use.',
      auth: 'Log in by signing with a wallet, and manage sessions.',
      members: 'The members of a merchant and their roles.',
      settings: 'Finality, tax rates and embedding of a merchant.',
      requests: 'The API requests of the last thirty days.',
      audit: 'A tamper-evident log of changes.',
    },
  },
  {
    name: 'Shop and service',
    tags: {
      shop: "The merchant's shop: its name, appearance and public address.",
      site: 'Brands: the appearance and the processing fee of each domain.',
      'web-app': "Settings that the merchant's web app reads before sign-in.",
      probes: 'Health checks for load balancers and monitoring.',
    },
  },
]

const ranks = new Map(tagGroups.flatMap(({ tags }) => Object.keys(tags)).map((tag, rank) => [tag, rank]))

export function tagOf(path: string): string {
  return path.split('/')[2] ?? 'other'
}

/** Returns the position of a tag in {@link tagGroups}. */
export function rankOf(tag: string): number {
  return ranks.get(tag) ?? ranks.size
}
