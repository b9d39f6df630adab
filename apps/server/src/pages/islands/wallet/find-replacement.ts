import { type Payment, readHex, tryRead, writeHex } from './payment.ts'

/** A transaction as `eth_getBlockByNumber` tells it. */
export type BlockTransaction = {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly nonce: string
  readonly input: string
  readonly value: string
}

/** Without a block known from before, this many are looked through; nodes keep the state of about so many. */
const maxBlocksBack = 120n

/**
 * The transaction of `from` that used `nonce`, found by the block in which its count passed that number.
 * `undefined` where the wallet's node does not say.
 *
 * @param where - `after`: a block in which the nonce was still free.
 * @throws {unwanted}
 */
export async function findReplacement(
  payment: Pick<Payment, 'provider' | 'isWanted'>,
  where: { from: string; nonce: bigint; after: bigint | undefined; latest: bigint },
): Promise<BlockTransaction | undefined> {
  const { from, nonce, after, latest } = where
  let low = after ?? (latest > maxBlocksBack ? latest - maxBlocksBack : 0n)
  let high = latest
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    const count = await tryRead(payment, 'eth_getTransactionCount', from, writeHex(middle))
    if (count === undefined) return undefined
    if (readHex(count) > nonce) high = middle
    else low = middle
  }
  const block = await tryRead(payment, 'eth_getBlockByNumber', writeHex(high), true)
  const { transactions = [] } = (block ?? {}) as { transactions?: readonly BlockTransaction[] }
  return transactions.find(
    (each) => each.from?.toLowerCase() === from.toLowerCase() && readHex(each.nonce) === nonce,
  )
}
