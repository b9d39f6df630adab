import { join } from 'node:path'
import { ownBrandKey } from '@sluice/protocol/brand.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { createSubscription } from '../access/keys/create-subscription.ts'
import { findSigningKey } from '../access/keys/key-store.ts'
import type { Chain } from '../chain/chain.ts'
import { assert } from '../kernel/assert.ts'
import { type Clock, wait } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import { ensureMerchant } from '../merchants/merchant-store.ts'
import type { Database } from '../platform/database/database.ts'
import { notifyJob } from '../platform/database/notify.ts'
import { jobNames } from '../platform/jobs/names.ts'
import { apiKeyContext, type Secrets } from '../platform/secrets.ts'
import type { RateBook } from '../pricing/rates/rate-book.ts'
import { createReceipt } from '../receipts/making/create-receipt.ts'
import { findReceiptHome } from '../receipts/making/make-receipt.ts'
import { parseCreateReceipt } from '../receipts/making/parse-create.ts'
import { paymentUrl } from '../receipts/payment-url.ts'
import type { Receipt } from '../receipts/receipt.ts'
import { findBrand } from '../site/find-brand.ts'
import { findCurrentSplit } from '../split/find-split.ts'
import { configureSplit } from '../split/setup/configure-split.ts'
import type { Split } from '../split/split.ts'
import { demoShop, seedShop } from './demo-shop.ts'
import { type LocalJson, type LocalWallet, localWallet, writeLocalJson } from './local-settings.ts'
import type { Local } from './start-local.ts'

const deployLimitMs = 60_000

export type SeedNeeds = DemoReceiptNeeds

/**
 * Seeds a local service with a merchant, an API key, a deployed split and a receipt, then writes `local.json`
 * and prints the URLs. Safe to repeat and to abort with `stop`.
 */
export async function seedLocal(needs: SeedNeeds, local: Local, stop?: AbortSignal): Promise<void> {
  const { config, contracts } = local
  assert(contracts, 'only a local chain is seeded')
  const merchant = localWallet(config.masterKey, 'merchant')
  const { subscriptionKey } = await seedMerchant(needs, merchant)
  stop?.throwIfAborted()
  const split = await seedSplit(needs, local, { merchant, stop })
  const receipt = await makeDemoReceipt(needs, merchant)
  stop?.throwIfAborted()
  const localJsonPath = join(config.dataDir, 'local.json')
  const localJson = {
    baseUrl: config.baseUrl,
    rpcUrl: local.rpcUrl,
    chainId: config.chainId,
    subscriptionKey,
    merchant,
    buyer: localWallet(config.masterKey, 'buyer'),
    tokens: contracts.tokens,
    split: split.address,
    databaseUrl: local.databaseUrl,
  }
  await writeLocalJson(localJsonPath, localJson)
  const checkoutUrl = paymentUrl(config.baseUrl, receipt)
  printWelcome(localJson, { localJsonPath, checkoutUrl }, (text) => void process.stdout.write(text))
}

async function seedSplit(
  needs: SeedNeeds,
  local: Local,
  { merchant, stop }: { merchant: LocalWallet; stop: AbortSignal | undefined },
): Promise<Split> {
  const { platformFeeBps, platformRecipient, masterKey } = local.config
  const partnerBps = 2_000
  const recipients = [
    { address: merchant.address, sharesBps: 10_000 - platformFeeBps - partnerBps },
    { address: localWallet(masterKey, 'partner').address, sharesBps: partnerBps },
  ]
  const platform = { feeBps: platformFeeBps as Bps, recipient: platformRecipient }
  const { idempotent } = await configureSplit({ ...needs, platform }, merchant.address, { recipients })
  if (!idempotent) await notifyJob(needs, jobNames.deploySplits)
  const giveUpAt = needs.clock.now() + deployLimitMs
  for (;;) {
    const split = await findCurrentSplit(needs.db, merchant.address)
    if (split?.deployedAt !== undefined) return split
    if (needs.clock.now() > giveUpAt) throw new Error('the demo split was not deployed in time')
    await wait(needs.clock, 100, stop)
    stop?.throwIfAborted()
  }
}

/**
 * Creates the demo merchant with a shop and a subscription with all scopes. Safe to repeat.
 *
 * @returns the primary key, decrypted from the database.
 */
export async function seedMerchant(
  needs: { db: Database; clock: Clock; random: Random; secrets: Secrets },
  merchant: LocalWallet,
): Promise<{ subscriptionKey: string }> {
  await ensureMerchant(needs, merchant.address, demoShop.name)
  await seedShop(needs, merchant.address)
  const found = await findSigningKey(needs.db, merchant.address)
  if (!found) {
    const made = await createSubscription(needs, merchant.address, {
      name: 'Local development',
      mode: 'test',
    })
    return { subscriptionKey: made.primaryKey }
  }
  try {
    const subscriptionKey = needs.secrets.open(
      found.encryptedKey,
      apiKeyContext(merchant.address, found.keyId),
    )
    return { subscriptionKey }
  } catch (cause) {
    throw new Error(
      'the keys in the database were encrypted with another master key: set SLUICE_MASTER_KEY to that key',
      { cause },
    )
  }
}

export type DemoReceiptNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly chain: Chain
  readonly rates: RateBook
  readonly secrets: Secrets
}

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

/** Prints the URLs of a local service, without keys. */
export function printWelcome(
  local: LocalJson,
  at: { localJsonPath: string; checkoutUrl: string | undefined },
  print: (text: string) => void,
): void {
  const rows: readonly (readonly [string, string] | undefined)[] = [
    at.checkoutUrl === undefined ? undefined : ['Checkout', at.checkoutUrl],
    ['Shop', `${local.baseUrl}/shop/${demoShop.slug}`],
    ['Start page', local.baseUrl],
    ['Documentation', `${local.baseUrl}/docs`],
    ['Keys, wallets', at.localJsonPath],
    ['Local chain', `${local.rpcUrl}  (chain id ${local.chainId})`],
    ['Merchant', local.merchant.address],
    ['Buyer', local.buyer.address],
    ['Split', local.split],
    ...Object.entries(local.tokens),
  ]
  const lines = rows.flatMap((row) => (row ? [`  ${row[0].padEnd(15)}${row[1]}`] : []))
  print(
    [
      '',
      `  Sluice is ready at ${local.baseUrl}`,
      '',
      ...lines,
      '',
      '  All tokens here are test tokens. The checkout also accepts test cards: choose `Pay by card or bank`.',
      '  In another terminal, `npm run demo` shows complete purchases, and `npm run cli -- trigger` shows each card outcome.',
      '  Press Ctrl-C to stop everything.',
      '',
      '',
    ].join('\n'),
  )
}
