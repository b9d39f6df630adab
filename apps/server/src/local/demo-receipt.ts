import { ownBrandKey } from '@sluice/protocol/brand.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { findSigningKey } from '../access/keys/key-store.ts'
import type { Chain } from '../chain/chain.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database/database.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { RateBook } from '../pricing/rates/rate-book.ts'
import { createReceipt } from '../receipts/making/create-receipt.ts'
import { findReceiptHome } from '../receipts/making/make-receipt.ts'
import { parseCreateReceipt } from '../receipts/making/parse-create.ts'
import type { Receipt } from '../receipts/receipt.ts'
import { findBrand } from '../site/find-brand.ts'
import type { LocalWallet } from './master-key.ts'

/** What making a demo receipt takes of the running service. */
export type DemoReceiptNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly chain: Chain
  readonly rates: RateBook
  readonly secrets: Secrets
}

/** The first receipt of the demo shop that nobody has paid yet. */
export async function makeDemoReceipt(needs: DemoReceiptNeeds, merchant: LocalWallet): Promise<Receipt> {
  const key = await findSigningKey(needs.db, merchant.address)
  assert(key, 'the demo merchant has a key')
  const brand = await findBrand(needs.db, ownBrandKey)
  const homes = { of: async (wallet: Wallet) => ({ ...(await findReceiptHome(needs.db, wallet)), brand }) }
  for (let number = 1; ; number++) {
    const request = parseCreateReceipt(
      {
        id: `welcome-${number}`,
        lineItems: [
          { label: 'Flat white', amount: 8.4, qty: 2 },
          { label: 'Almond croissant', amount: 4.9 },
          { label: 'Loyalty discount', amount: -1.3 },
        ],
        currency: 'USD',
      },
      { isProduction: false },
    )
    const { receipt } = await createReceipt(
      { ...needs, deadlines: needs.clock, homes },
      merchant.address,
      key,
      request,
    )
    if (receipt.status === 'pending') return receipt
  }
}
