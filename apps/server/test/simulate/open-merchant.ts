import type { Wallet } from '@sluice/protocol/wallet.ts'
import { modeOfChain } from '../../src/access/keys/api-key.ts'
import { createSubscription } from '../../src/access/keys/create-subscription.ts'
import { ensureMerchant } from '../../src/merchants/merchant-store.ts'
import { configureSplit, type RecipientInput } from '../../src/split/setup/configure-split.ts'
import { newWallet } from '../support/api/sessions.ts'
import { seededRandom } from '../support/test-random.ts'
import type { Cluster } from './cluster.ts'
import { Draw } from './draw.ts'
import { otherMerchant } from './merchants.ts'
import type { Replica } from './replica.ts'
import { Sale, type Seller } from './sale.ts'
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

/** Returns the sales of a second merchant with its own recipients, in a part of the seeds. */
export async function openOther(world: World, cluster: Cluster): Promise<readonly Sale[]> {
  const draw = new Draw(`${world.seed}:other`)
  if (world.has.restores || !draw.isIn(0.2)) return []
  const recipients = [
    { address: otherMerchant, sharesBps: 6_617 },
    { address: newWallet(seededRandom('partner')).wallet, sharesBps: 3_333 },
  ]
  const seller = await openMerchant(world, cluster, otherMerchant, recipients)
  return ['sale-1', 'sale-2'].map((id) => new Sale(world, seller, id, draw))
}
