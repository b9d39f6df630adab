import { slugPattern } from '@sluice/protocol/api/shop.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'
import { findSlugOwner } from './store.ts'
/** Slugs that are routes of the service, may become routes, or could impersonate it. */
export const reservedSlugs: ReadonlySet<string> = new Set([
  'about',
  'account',
  'admin',
  'administrator',
  'api',
  'app',
  'assets',
  'auth',
  'billing',
  'cart',
  'checkout',
  'config',
  'dashboard',
  'docs',
  'events',
  'favicon',
  'health',
  'healthz',
  'help',
  'home',
  'inventory',
  'login',
  'logout',
  'metrics',
  'new',
  'null',
  'official',
  'onramp',
  'openapi',
  'operator',
  'orders',
  'pay',
  'payment',
  'payments',
  'portal',
  'privacy',
  'readyz',
  'receipt',
  'receipts',
  'refund',
  'refunds',
  'register',
  'robots',
  'root',
  'search',
  'security',
  'service',
  'settings',
  'shop',
  'shops',
  'signin',
  'signup',
  'site',
  'sluice',
  'split',
  'static',
  'status',
  'support',
  'system',
  'terminal',
  'terms',
  'undefined',
  'webhook',
  'webhooks',
  'well-known',
  'www',
])

export type SlugState = 'free' | 'yours' | 'taken' | 'reserved' | 'invalid'

const form = new RegExp(slugPattern)

/**
 * Returns the state of a slug for a merchant, without revealing its owner. Another merchant can still claim a
 * free slug first.
 */
export async function validateSlug(db: Database, merchant: Wallet, slug: string): Promise<SlugState> {
  if (!form.test(slug)) return 'invalid'
  if (reservedSlugs.has(slug)) return 'reserved'
  const owner = await findSlugOwner(db, slug)
  if (owner === undefined) return 'free'
  return owner === merchant ? 'yours' : 'taken'
}
