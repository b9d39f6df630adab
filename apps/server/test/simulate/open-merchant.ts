import type { Wallet } from '@sluice/protocol/wallet.ts'
import { modeOfChain } from '../../src/access/keys/api-key.ts'
import { createSubscription } from '../../src/access/keys/create-subscription.ts'
import { ensureMerchant } from '../../src/merchants/merchant-store.ts'
import { configureSplit, type RecipientInput } from '../../src/split/setup/configure-split.ts'
import type { Cluster } from './cluster.ts'
import type { Replica } from './replica.ts'
import type { Seller } from './sale.ts'
import type { World } from './world.ts'

/** Adds a merchant with a key and a split. Without `recipients`, the merchant gets everything but the fee. */
export async function openMerchant(
  world: World,
  { replicas, platform }: Cluster,
  wallet: Wallet,
  recipients?: readonly RecipientInput[],
): Promise<Seller> {
  const [{ service }] = replicas as [Replica]
  const { parts } = service
  await ensureMerchant(parts, wallet, 'Merchant')
  const subscription = { name: 'simulation', mode: modeOfChain(31_337), scopes: undefined }
  const { primaryKey: key } = await createSubscription(parts, wallet, subscription)
  await configureSplit({ ...parts, platform }, wallet, { recipients })
  const webhookUrl = `https://${wallet.slice(2, 10).toLowerCase()}.test/hook`
  world.receiver.apiKeys.set(webhookUrl, key)
  return { key, wallet, webhookUrl }
}
