import { join } from 'node:path'
import type { Bps } from '@sluice/protocol/money.ts'
import { assert } from '../kernel/assert.ts'
import { wait } from '../kernel/clock.ts'
import { notifyJob } from '../platform/database/notify.ts'
import { jobNames } from '../platform/jobs/names.ts'
import { paymentUrl } from '../receipts/payment-url.ts'
import { findCurrentSplit } from '../split/find-split.ts'
import { configureSplit } from '../split/setup/configure-split.ts'
import type { Split } from '../split/split.ts'
import { type DemoReceiptNeeds, makeDemoReceipt } from './demo-receipt.ts'
import { writeLocalJson } from './local-settings.ts'
import { type LocalWallet, localWallet } from './master-key.ts'
import { printWelcome } from './print-welcome.ts'
import { seedMerchant } from './seed.ts'
import type { Local } from './start-local.ts'

const deployLimitMs = 60_000

/** What seeding takes of the running service. */
export type SeedNeeds = DemoReceiptNeeds

/**
 * Puts a shop into a local service: merchant, key, deployed split and a receipt to pay, then writes
 * `local.json` and tells the person at the terminal where to go. Safe to repeat at every start, and safe to cut
 * off with `stop`.
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

/** The merchant and a partner share what the platform leaves: enough to see a payment go three ways. */
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
  if (!idempotent) await notifyJob(needs.db, jobNames.deploySplits)
  const giveUpAt = needs.clock.now() + deployLimitMs
  for (;;) {
    const split = await findCurrentSplit(needs.db, merchant.address)
    if (split?.deployedAt !== undefined) return split
    if (needs.clock.now() > giveUpAt) throw new Error('the demo split was not deployed in time')
    await wait(needs.clock, 100, stop)
    stop?.throwIfAborted()
  }
}
