import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError, invalidInput } from '../kernel/api-error.ts'
import { type Caller, merchantOf } from './caller.ts'

/** Returns the merchant that owns a slug. */
export type FindBySlug = (slug: string) => Promise<Wallet | undefined>

/**
 * Returns the merchant whose shop is read: the caller's own or, without a caller, the one named by
 * `x-merchant-wallet` or the slug.
 *
 * See docs/contract.md#public-reads.
 *
 * @throws {ApiError} `unauthorized` if no merchant is named; `invalid_input` for an invalid wallet, or if
 * wallet and slug differ; `not_found` for an unknown slug.
 */
export async function findShopMerchant(
  findBySlug: FindBySlug | undefined,
  caller: Caller,
  named: { wallet: string | undefined; slug: string | undefined },
): Promise<{ merchant: Wallet; audience: 'merchant' | 'public' }> {
  if (caller.kind !== 'nobody') return { merchant: merchantOf(caller), audience: 'merchant' }
  if (named.wallet === undefined && named.slug === undefined) {
    throw new ApiError(
      'unauthorized',
      'Send your subscription key in Ocp-Apim-Subscription-Key, or name the shop with x-merchant-wallet or ?slug=',
    )
  }
  const wallet = named.wallet === undefined ? undefined : parseWallet(named.wallet)
  if (named.wallet !== undefined && !wallet)
    throw invalidInput({ path: 'x-merchant-wallet', message: 'must be 0x followed by 40 hexadecimal digits' })
  const merchant = named.slug === undefined ? wallet : await findBySlug?.(named.slug)
  if (!merchant) throw noShop()
  if (wallet && wallet !== merchant)
    throw invalidInput({
      path: 'slug',
      message: 'belongs to a different merchant than x-merchant-wallet',
    })
  return { merchant, audience: 'public' }
}

/** Returns the 404 for a shop that does not exist. It is the same for every caller. */
export function noShop(): ApiError {
  return new ApiError('not_found', 'Shop not found')
}
