import { journaledResponse } from '@sluice/protocol/api/documented.ts'
import {
  changeShopRequest,
  changeShopResponse,
  shopConfigQuery,
  shopConfigResponse,
  slugResponse,
} from '@sluice/protocol/api/shop.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { Type } from 'typebox'
import { appendAudit } from '../access/audit/append-audit.ts'
import { actorOf, merchantOf } from '../access/caller.ts'
import { findShopMerchant, noShop } from '../access/find-shop-merchant.ts'
import { type Route, route } from '../access/route.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Log } from '../platform/log.ts'
import type { Secrets } from '../platform/secrets.ts'
import { changeShop, shopChanged } from './change-shop.ts'
import { parseShopChange } from './parse-change.ts'
import { validateSlug } from './reserved-slugs.ts'
import { viewShop } from './shop.ts'
import { findMerchantBySlug, findShop } from './store.ts'

export type ShopNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly log: Log
  /** Returns whether a merchant can receive payments. A shop is complete only if it can. */
  hasSplit(merchant: Wallet): Promise<boolean>
}

const managers = { kind: 'session', roles: ['owner', 'admin'] } as const

export function shopRoutes(needs: ShopNeeds): Route[] {
  const { db, clock, log } = needs
  return [
    slugRoute(needs),
    route({
      method: 'GET',
      path: '/api/shop/config',
      access: { kind: 'key-or-public', scope: 'shop:read' },
      description: 'Retrieve a shop. Without a key, send `x-merchant-wallet` or `?slug=` to select the shop.',
      query: shopConfigQuery,
      responses: { 200: shopConfigResponse },
      document: { apiErrors: ['not_found'] },
      async handle({ caller, query, headers }) {
        const header = headers['x-merchant-wallet']
        const wallet = Array.isArray(header) ? header.join() : header
        const findBySlug = (slug: string) => findMerchantBySlug(db, slug)
        const { merchant } = await findShopMerchant(findBySlug, caller, { wallet, slug: query.slug })
        const [shop, hasSplit] = await Promise.all([findShop(db, merchant), needs.hasSplit(merchant)])
        if (!shop) throw noShop()
        return { status: 200, body: { config: viewShop(shop, hasSplit) } }
      },
    }),
    route({
      method: 'POST',
      path: '/api/shop/config',
      access: managers,
      limit: 'configWrites',
      description: 'Update a shop. Omitted fields stay unchanged. The first update creates the shop.',
      body: changeShopRequest,
      responses: { 200: changeShopResponse },
      document: {
        responses: { 200: Type.Union([changeShopResponse, journaledResponse]) },
        apiErrors: ['slug_taken'],
      },
      async handle({ caller, body, correlationId, acceptedAt }) {
        const merchant = merchantOf(caller)
        const change = parseShopChange(body)
        let left: readonly string[] = []
        const record = (tx: Database, superseded: readonly string[]) => {
          left = superseded
          const fields = Object.keys(change).filter((field) => !left.includes(field))
          return appendAudit(
            { ...needs, tx },
            {
              merchant,
              at: clock.now(),
              actor: actorOf(caller),
              action: shopChanged,
              subject: merchant,
              details: {
                fields,
                ...(fields.includes('slug') && { slug: change.slug }),
                ...(acceptedAt !== undefined && { acceptedAt, superseded: left }),
              },
              correlationId,
            },
          )
        }
        const shop = await changeShop(needs, merchant, change, record, acceptedAt)
        if (left.length > 0)
          log.warn(
            { merchant, acceptedAt, left, body },
            'an accepted change was applied without the fields that were changed later',
          )
        return { status: 200, body: { ok: true, config: viewShop(shop, await needs.hasSplit(merchant)) } }
      },
    }),
  ]
}

function slugRoute({ db }: ShopNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/shop/slugs/{slug}',
    access: managers,
    description:
      'Check whether a slug is available. For live feedback in a form. The result does not reserve the slug.',
    params: Type.Object({ slug: Type.String({ maxLength: 200 }) }),
    responses: { 200: slugResponse },
    async handle({ caller, params: { slug } }) {
      return { status: 200, body: { slug, state: await validateSlug(db, merchantOf(caller), slug) } }
    },
  })
}
