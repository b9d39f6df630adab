import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { PaymentWorld } from '../worlds/payment-world.ts'

/** Sends the same transaction of the buyer's so often, for one block; mines nothing. */
export async function sendMany(
  world: PaymentWorld,
  count: number,
  call: { to: Hex; data?: Hex; value?: bigint; gas: bigint },
): Promise<void> {
  const { client } = world.chain
  const account = privateKeyToAccount(world.buyer.privateKey)
  const first = await client.getTransactionCount({ address: account.address, blockTag: 'pending' })
  const sign = (nonce: number) =>
    account.signTransaction({
      chainId: 31337,
      type: 'eip1559',
      nonce,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1n,
      ...call,
    })
  for (let sent = 0; sent < count; sent += atOnce) {
    const raws = Array.from({ length: Math.min(atOnce, count - sent) }, (_, i) => sign(first + sent + i))
    const sending = raws.map(async (raw) => client.sendRawTransaction({ serializedTransaction: await raw }))
    await Promise.all(sending)
  }
}

const atOnce = 50
