import { at, cartOf, form, hash, own, type Probes, shown, underOther } from './probe.ts'

export const pageProbes: Readonly<Record<string, Probes>> = {
  'GET /pay/{id}': (...who) => {
    const pages = shown('/pay/*')(...who)
    const programs = pages.map((probe) => ({ ...probe, headers: { accept: 'application/json' } }))
    return [...pages, ...programs]
  },
  'GET /portal/{id}': (...who) =>
    ['/portal/*', '/portal/*.svg', '/portal/*.png'].flatMap((path) => shown(path)(...who)),
  'GET /pay/{id}/status': shown('/pay/*/status'),
  'GET /pay/{id}/on-success': (a, cursors, b) => {
    const headers = { 'sec-fetch-dest': 'iframe' }
    const path = (id: string) => `/pay/${id}/on-success?recipient=${a.wallet}`
    const unpaid = [a.receipts.pending, a.receipts.cancelled, a.receipts.refunded].map(path)
    return [
      ...at([path(a.receipts.paid)], 'public').map((probe) => ({ ...probe, headers })),
      ...at([path(a.receipts.paid)], 'not-found'),
      ...[...at(unpaid, 'not-found'), ...underOther('/pay/*/on-success')(a, cursors, b)].map((probe) => ({
        ...probe,
        headers,
      })),
    ]
  },
  'POST /pay/{id}/onramp': (...who) =>
    underOther('/pay/*/onramp')(...who).map((probe) => ({ ...probe, body: '', headers: form })),
  'GET /receipt/{id}': (...who) => [
    ...shown('/receipt/*')(...who),
    ...underOther('/receipt/*.pdf')(...who),
    ...at(
      [`/receipt/${who[0].receipts.paid}?recipient=${who[0].wallet}&access=z.${'0'.repeat(64)}`],
      'public',
    ),
  ],
  'GET /preview/{page}': (a) =>
    at([`/preview/checkout?merchant=${a.wallet}`, `/preview/shop?merchant=${a.wallet}`], 'public'),
  'GET /claim': (a) => at(['/claim', `/claim?hash=${a.unmatchedHash}`, `/claim?hash=${hash}`], 'public'),
  'POST /claim': () => [
    {
      target: '/claim',
      outcome: 'not-found',
      body: `hash=${hash}&log=0&refundAddress=0x${'12'.repeat(20)}&contact=mine`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
  ],
  'GET /claim/{id}': (a) => at([`/claim/${a.unmatchedId}`, `/claim/C-${'0'.repeat(26)}`], 'not-found'),
  'GET /shop/{slug}': (a) => at([`/shop/${a.slug}`], 'public'),
  'GET /shop/{slug}/{product}': (a, _, b) => [
    ...at([`/shop/${a.slug}/${a.soldId}`], 'public'),
    ...at([`/shop/${b.slug}/${a.soldId}`, `/shop/${b.slug}/${a.soldSku}`], 'not-found'),
  ],
  'GET /shop/{slug}/cart': (a, _, b) => [
    { target: `/shop/${b.slug}/cart`, outcome: 'own', headers: { cookie: cartOf(a.soldId) } },
  ],
  'POST /shop/{slug}/cart': (a, _, b) => [
    { target: `/shop/${b.slug}/cart`, outcome: 'not-found', body: `add=${a.soldId}`, headers: form },
    { target: `/shop/${b.slug}/cart`, outcome: 'not-found', body: `add=${a.soldSku}`, headers: form },
  ],
  'POST /shop/{slug}/checkout': (a, _, b) => [
    {
      target: `/shop/${b.slug}/checkout`,
      outcome: 'refused',
      body: `qty:${a.soldId}=1`,
      headers: { ...form, 'sec-fetch-site': 'cross-site', cookie: cartOf(a.soldId) },
    },
  ],
  'GET /assets/{file}': (a) => at([`/assets/${a.receipts.paid}`], 'not-found'),
  'GET /images/{owner}/{slot}/{file}': (a) =>
    at(
      [a.draftId, a.productId].map(
        (id) => `/images/${a.wallet.toLowerCase()}/product.0.${id}/AAAAAAAAAAAA-400.webp`,
      ),
      'not-found',
    ),
  'GET /embed.js': own('/embed.js'),
  'GET /llms.txt': own('/llms.txt'),
  'OPTIONS /pay/{id}': (a) => at([`/pay/${a.receipts.pending}`], 'public'),
  'OPTIONS /portal/{id}': (a) => at([`/portal/${a.receipts.pending}`], 'public'),
  'GET /': own('/'),
  'GET /app': own('/app'),
  'GET /app*': own('/app/receipts'),
  'GET /app/assets/{file}': (a) => at([`/app/assets/${a.receipts.paid}`], 'not-found'),
  'GET /favicon.ico': own('/favicon.ico'),
}
