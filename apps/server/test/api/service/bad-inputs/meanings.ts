import { badWallets, badWebhookUrls } from '../../../support/routes/bad-values.ts'
import type { Credential } from '../../../support/routes/route-sample.ts'
import type { Tenant } from '../../../support/service/tenant.ts'
import { type BadCase, type Headers, invalid, type Make, notFound } from './bad-case.ts'
import { badPageUrls } from './hostile-texts.ts'
import { products, settings, shops, sites } from './shop-cases.ts'

export function badMeanings(t: Tenant, headers: Headers): BadCase[] {
  const json = (as: Credential, method: string, target: string) => {
    return (what: string, body: unknown, expect: readonly string[] = invalid): BadCase => ({
      what: `${method} ${target}: ${what}`,
      question: {
        method,
        target,
        headers: { ...headers[as], 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      },
      expect,
    })
  }
  const offer = `/api/checkout/${t.receipts.pending}/attempts?recipient=${t.wallet}`
  return [
    ...receipts(json('key', 'POST', '/api/receipts')),
    ...orders(t, json('key', 'POST', '/api/orders')),
    ...terminal(json('owner', 'POST', '/api/receipts/terminal')),
    ...reports(
      t,
      json('owner', 'POST', '/api/receipts/status'),
      json('nobody', 'POST', '/api/receipts/status'),
    ),
    ...products(json('key', 'POST', '/api/inventory')),
    ...shops(json('owner', 'POST', '/api/shop/config')),
    ...sites(json('operator', 'POST', '/api/site/config')),
    ...settings(json('owner', 'POST', '/api/settings')),
    ...attempts(t, json('nobody', 'POST', offer)),
    ...badWallets.map((address) =>
      json('nobody', 'POST', '/api/auth/challenge')(`the wallet ${address}`, { address }),
    ),
  ]
}

const native = (amount: unknown) => ({ label: 'A', amount })
const legacy = (priceUsd: unknown, qty?: unknown) => ({
  label: 'A',
  priceUsd,
  ...(qty !== undefined && { qty }),
})

const badAmounts = [
  ...['0.001', '1.005', '1e-3', '1.0000000000000001', '0.1e-2', '5e-324'],
  ...['100000000000000000001', '1000000000.01', '1e10', '1E+12', '-1e10', '1e308', '9007199254740993'],
]

const noTotals = ['0', '-0', '-1', '-0.01', '0.0', '0e5']

function receipts(make: Make): BadCase[] {
  const good = { id: 'bad', lineItems: [legacy(5)], totalUsd: 5 }
  const text = (lines: string, more = '') => `{"id":"bad","lineItems":[${lines}]${more}}`
  const ids = [
    ...['status', 'refund', 'terminal', '', ' ', 'a b', 'summary', '.', '..', 'a\u00a0b', '\u0301a'],
    ...['\u202ea', 'a\u200d', 'a\n', 'a'.repeat(129), 'R-00000000000000000000000000'],
  ]
  const changes: Record<string, object> = {
    'legacy and native lines': { lineItems: [legacy(5), native(5)] },
    'both amounts in a line': { lineItems: [{ label: 'A', priceUsd: 5, amount: 5 }] },
    'a total beside totalUsd': { total: 5 },
    'no totalUsd': { totalUsd: undefined },
    'a totalUsd that is another': { totalUsd: 5.01 },
    'a totalUsd of neither reading': { lineItems: [legacy(5, 3)], totalUsd: 10 },
    'lines that cancel out': { lineItems: [legacy(5), legacy(-5)], totalUsd: 0 },
    'EUR with priceUsd': { currency: 'EUR' },
    'a currency of nowhere': { currency: 'XXX' },
    'a currency in Turkish': { currency: 'u\u0131d' },
    'a currency with a space': { currency: 'USD ' },
    'no lines': { lineItems: [], totalUsd: 0 },
    '501 lines': { lineItems: Array.from({ length: 501 }, () => legacy(1)), totalUsd: 501 },
    'a quantity of seven decimals': { lineItems: [legacy(5, 1.0000001)] },
    'a quantity below zero': { lineItems: [legacy(5, -1)] },
    'a label of nothing': { lineItems: [{ label: '', priceUsd: 5 }] },
    'a label too long': { lineItems: [{ label: 'a'.repeat(201), priceUsd: 5 }] },
    'metadata too large': { metadata: { a: 'b'.repeat(8_200) } },
    'metadata that is a list': { metadata: [] },
    'a reference too long': { transactionId: 'a'.repeat(256) },
    'a script too long': { onSuccess: 'a'.repeat(4_001) },
    'an expiry no date can name': { expiresAt: 8.64e15 + 1 },
    'an expiry below zero': { expiresAt: -1 },
    'a broken expiry': { expiresAt: 1.5 },
    'an expiry as text': { expiresAt: '2030-01-01' },
    'a tax rate above one': { taxRate: 1.01 },
    'a tax rate of seven decimals': { taxRate: 0.0000001 },
    'a jurisdiction without a region': { jurisdictionCode: 'US' },
    'a jurisdiction of a long region': { jurisdictionCode: 'US-ABCD' },
    'a jurisdiction of other signs': { jurisdictionCode: 'ÜS-CA' },
    '25 tax components': { taxComponents: Array.from({ length: 25 }, () => 'a') },
  }
  const bothSay = (names: readonly string[]) =>
    names.map((name) => [`billing${name}`, `customer${name}`] as const)
  const aliases: readonly (readonly [string, string])[] = [
    ['redirect_url', 'redirectUrl'],
    ['returnUrl', 'return_url'],
    ['webhook_url', 'webhookUrl'],
    ['transactionId', 'clientTransactionId'],
    ...bothSay(['FirstName', 'LastName', 'Email', 'Phone']),
    ...bothSay(['AddressLine1', 'AddressLine2', 'AddressCity', 'AddressState', 'AddressCountry']),
    ['billingAddressPostalCode', 'billingAddressZip'],
    ['billingAddressPostalCode', 'customerAddressPostalCode'],
    ['billingAddressZip', 'customerAddressPostalCode'],
  ]
  return [
    ...ids.map((id) => make(`the id ${JSON.stringify(id).slice(0, 30)}`, { ...good, id })),
    ...badAmounts.map((n) => make(`the amount ${n}`, text(`{"label":"A","amount":${n}}`))),
    ...badAmounts.map((n) => make(`the total ${n}`, text('{"label":"A","amount":5}', `,"total":${n}`))),
    ...noTotals.map((n) => make(`the amount ${n}`, text(`{"label":"A","amount":${n}}`))),
    ...noTotals.map((n) => make(`the price ${n}`, text(`{"label":"A","priceUsd":${n}}`, `,"totalUsd":${n}`))),
    ...Object.entries(changes).map(([what, change]) => make(what, { ...good, ...change })),
    ...aliases.map(([one, other]) => {
      const differing = { [one]: 'https://example.com/a', [other]: 'https://example.com/b' }
      return make(`${one} and ${other} that differ`, { ...good, ...differing })
    }),
    ...badWebhookUrls.map((url) => make(`the webhook ${url.slice(0, 60)}`, { ...good, webhook_url: url })),
    ...['redirect_url', 'return_url'].flatMap((name) =>
      badPageUrls.map((url) => make(`the ${name} ${url.slice(0, 60)}`, { ...good, [name]: url })),
    ),
  ]
}

function orders(t: Tenant, make: Make): BadCase[] {
  const good = { items: [{ sku: t.soldSku, qty: 1 }], jurisdictionCode: 'US-OR' }
  const unknown = ['400 inventory_item_not_found']
  const few = ['400 inventory_item_unavailable']
  const jurisdictions = ['', 'US', 'US-', '-CA', 'USA-CA', 'US-CALI', 'US_CA', 'US CA', 'US-C\u0000', '12-34']
  const eight = { sku: t.soldSku, qty: 8 }
  const item = (more: object) => ({ ...good, items: [{ qty: 1, ...more }] })
  return [
    ...jurisdictions.map((jurisdictionCode) =>
      make(`the jurisdiction ${JSON.stringify(jurisdictionCode)}`, { ...good, jurisdictionCode }),
    ),
    make('nothing', { ...good, items: [] }, ['400 items_required']),
    make('an item without a name', item({})),
    make('an item of unknown sku', item({ sku: 'none' }), unknown),
    make('an item of unknown id', item({ id: 'none' }), unknown),
    make('a draft', item({ id: t.draftId }), unknown),
    make('a sku and an id that disagree', item({ sku: t.soldSku, id: t.productId }), unknown),
    make('a sku in other letters', item({ sku: t.soldSku.toUpperCase() }), unknown),
    make('a sku with a space', item({ sku: `${t.soldSku} ` }), unknown),
    make('more than there is', item({ sku: t.soldSku, qty: 11 }), few),
    make('more than there is, in two lines', { ...good, items: [eight, eight] }, few),
    make('more than money can say', item({ sku: t.soldSku, qty: 1_000_000_000 })),
    make('a part of one', item({ sku: t.soldSku, qty: 0.5 })),
    make('none of it', item({ sku: t.soldSku, qty: 0 })),
    make('less than none', item({ sku: t.soldSku, qty: -1 })),
    make('501 items', { ...good, items: Array.from({ length: 501 }, () => ({ sku: t.soldSku, qty: 1 })) }),
    make('an expiry in the past', { ...good, expiresAt: 1 }),
    make('a tax rate above one', { ...good, taxRate: 2 }),
    make('a tax rate of seven decimals', { ...good, taxRate: 0.1234567 }),
    ...badWebhookUrls
      .slice(0, 12)
      .map((url) => make(`the webhook ${url.slice(0, 60)}`, { ...good, webhookUrl: url })),
  ]
}

function terminal(make: Make): BadCase[] {
  const wrong = ['400 invalid_amount']
  return [
    ...[...badAmounts, ...noTotals].flatMap((n) => [
      make(`the amountUsd ${n}`, `{"amountUsd":${n}}`, [...wrong, ...invalid]),
      make(`the amount ${n}`, `{"amount":${n}}`, [...wrong, ...invalid]),
    ]),
    make('both amounts', { amount: 1, amountUsd: 1 }, wrong),
    make('no amount', {}, wrong),
    make('amountUsd with EUR', { amountUsd: 1, currency: 'EUR' }, wrong),
    make('a currency of nowhere', { amount: 1, currency: 'XXX' }),
    make('a jurisdiction nobody has a rate for', { amountUsd: 1, jurisdictionCode: 'ZZ-ZZ' }),
    make('a tax rate above one', { amountUsd: 1, taxRate: 1.5 }),
  ]
}

function reports(t: Tenant, asOwner: Make, asNobody: Make): BadCase[] {
  const good = { receiptId: t.receipts.pending, wallet: t.wallet }
  const ours = ['paid', 'pending', 'refunded', 'reconciled', 'failed']
  const statuses = [...ours, 'PAID', 'completed', '__proto__', 'toString']
  const sensitive = ['checkout_success', 'refund_requested', ...statuses, "x' OR 1=1--", '\u202e']
  return [
    ...statuses.map((status) => asOwner(`the status ${status}`, { ...good, status })),
    ...sensitive.map((status) => asNobody(`the status ${status}`, { ...good, status }, ['403 forbidden'])),
    ...['onramp_é', 'onramp_\u007f', `onramp_${'a'.repeat(58)}`, 'onramp_\u0000'].map((status) =>
      asNobody(`the status ${status}`, { ...good, status }),
    ),
    ...['status', 'a b', '\u202e', 'a'.repeat(129), '..'].map((receiptId) =>
      asNobody(`the receipt ${receiptId}`, { ...good, receiptId, status: 'link_opened' }),
    ),
    asOwner('a reason too long', { ...good, status: 'checkout_success', reason: 'a'.repeat(501) }),
    asOwner('a receipt nobody has', { ...good, receiptId: 'none', status: 'checkout_success' }, notFound),
  ]
}

function attempts(t: Tenant, make: Make): BadCase[] {
  const tokens = ['', 'DOGE', 'eth', ' ETH', '__proto__', 'constructor', 'toString', `0x${'0'.repeat(40)}`]
  return [
    ...tokens.map((token) => make(`the token ${token}`, { token })),
    ...badWallets.map((payer) => make(`the payer ${payer}`, { token: 'USDC', payer })),
  ].map((each) => ({ ...each, what: `${each.what} for ${t.receipts.pending.slice(0, 7)}` }))
}
