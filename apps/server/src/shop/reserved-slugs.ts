import { slugPattern } from '@sluice/protocol/api/shop.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'
import { findSlugOwner } from './store.ts'
/** Names that are ours, would be, or would be taken for ours. No shop has one of them. */
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

/** Whether a merchant can have a slug, and what stands against it. */
export type SlugState = 'free' | 'yours' | 'taken' | 'reserved' | 'invalid'

const form = new RegExp(slugPattern)

/** How a slug stands for a merchant now; another can still be faster. Whose it is, is not said. */
export async function judgeSlug(db: Database, merchant: Wallet, slug: string): Promise<SlugState> {
  if (!form.test(slug)) return 'invalid'
  if (reservedSlugs.has(slug)) return 'reserved'
  const owner = await findSlugOwner(db, slug)
  if (owner === undefined) return 'free'
  return owner === merchant ? 'yours' : 'taken'
}
