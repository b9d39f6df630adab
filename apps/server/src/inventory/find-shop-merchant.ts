import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { type Caller, merchantOf } from '../access/caller.ts'
import { invalidInput, Refusal } from '../kernel/refusal.ts'
import { findMerchant } from '../merchants/find-merchant.ts'
import type { Database } from '../platform/database/database.ts'

/** Whose shop a public slug is; `undefined` where it is nobody's. */
export type FindBySlug = (slug: string) => Promise<Wallet | undefined>

/**
 * Whose products a read is about, and who reads: the caller's own, or, without a credential, those of the
 * merchant that `x-merchant-wallet` or the slug names.
 *
 * @throws {Refusal} `unauthorized` where nothing says whose; `invalid_input` for no wallet, or for two that
 * differ; `not_found` where nobody sells under the wallet or the slug.
 */
export async function findShopMerchant(
  needs: { db: Database; findBySlug: FindBySlug | undefined },
  caller: Caller,
  named: { wallet: string | undefined; slug: string | undefined },
): Promise<{ merchant: Wallet; audience: 'merchant' | 'public' }> {
  if (caller.kind !== 'nobody') return { merchant: merchantOf(caller), audience: 'merchant' }
  if (named.wallet === undefined && named.slug === undefined) {
    throw new Refusal(
      'unauthorized',
      'Send your subscription key in Ocp-Apim-Subscription-Key, or name the shop with x-merchant-wallet or ?slug=',
    )
  }
  const wallet = named.wallet === undefined ? undefined : parseWallet(named.wallet)
  if (named.wallet !== undefined && !wallet)
    throw invalidInput({ path: 'x-merchant-wallet', message: 'must be 0x followed by 40 hexadecimal digits' })
  const owner = named.slug === undefined ? wallet : await needs.findBySlug?.(named.slug)
  if (!owner) throw new Refusal('not_found', 'Shop not found')
  if (wallet && wallet !== owner)
    throw invalidInput({
      path: 'slug',
      message: 'is the slug of a different merchant than x-merchant-wallet',
    })
  if (!(await findMerchant(needs.db, owner))) throw new Refusal('not_found', 'Shop not found')
  return { merchant: owner, audience: 'public' }
}
