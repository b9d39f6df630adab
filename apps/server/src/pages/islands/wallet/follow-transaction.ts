import {
  maxLooks,
  type Payment,
  pauseBeforeLook,
  readHex,
  type SentCall,
  stuckAfterMs,
  tryRead,
  writeHex,
} from './payment.ts'

/** Final state of a transaction. `lost`: polling ended without a known outcome. */
export type Fate = 'mined' | 'reverted' | 'dropped' | 'lost'

export type Place = { readonly from: string; readonly nonce: string }

export type OnTheWay = {
  /**
   * Called when the sender and the nonce are known. Callers must store them, because a replacement has a
   * different hash.
   */
  found(place: Place): void
  /** Called if a transaction with a different hash makes the same call, because the buyer sped it up. */
  replaced(hash: string): void
  stuck(): void
}

type Followed = {
  hash: string
  place: Place | undefined
  /** Newest block in which the nonce was unused. */
  lastOpenBlock: bigint | undefined
  /** Number of consecutive polls that found the nonce used but no receipt. */
  looksUsed: number
}

/** A node may report the new nonce before it reports the block. */
const looksBeforeReplaced = 2

/**
 * Follows a transaction through the sending wallet until it is mined or its nonce is used by another
 * transaction.
 *
 * @throws {unwanted}
 */
export async function followTransaction(
  payment: Pick<Payment, 'provider' | 'isWanted'>,
  sent: SentCall & { readonly hash: string },
  on: OnTheWay,
  { place, sentAgoMs = 0 }: { place?: Place | undefined; sentAgoMs?: number } = {},
): Promise<Fate> {
  const followed: Followed = { hash: sent.hash, place, lastOpenBlock: undefined, looksUsed: 0 }
  const beganAt = performance.now() - sentAgoMs
  let isStuck = false
  for (let count = 0; count < maxLooks; count++) {
    const fate = await look(payment, sent, followed, on)
    if (fate) return fate
    if (!isStuck && performance.now() - beganAt > stuckAfterMs) {
      isStuck = true
      on.stuck()
    }
    await pauseBeforeLook(count)
  }
  return 'lost'
}

async function look(
  payment: Pick<Payment, 'provider' | 'isWanted'>,
  sent: SentCall,
  followed: Followed,
  on: OnTheWay,
): Promise<Fate | undefined> {
  const receipt = await tryRead(payment, 'eth_getTransactionReceipt', followed.hash)
  const status = (receipt as { status?: string } | null | undefined)?.status
  if (status) return readHex(status) === 1n ? 'mined' : 'reverted'
  const place = await placeOf(payment, followed, on)
  const count = place && (await tryRead(payment, 'eth_getTransactionCount', place.from, 'latest'))
  if (!place || count === undefined) return undefined
  if (readHex(count) <= readHex(place.nonce)) {
    followed.looksUsed = 0
    followed.lastOpenBlock = await readBlockNumber(payment)
    return undefined
  }
  if (++followed.looksUsed < looksBeforeReplaced) return undefined
  return replace(payment, sent, { ...followed, place }, (hash) => {
    followed.hash = hash
    followed.looksUsed = 0
    on.replaced(hash)
  })
}

async function placeOf(
  payment: Pick<Payment, 'provider' | 'isWanted'>,
  followed: Followed,
  on: OnTheWay,
): Promise<Place | undefined> {
  if (followed.place) return followed.place
  const known = await tryRead(payment, 'eth_getTransactionByHash', followed.hash)
  const { from, nonce } = (known ?? {}) as { from?: string; nonce?: string }
  if (!from || !nonce) return undefined
  followed.place = { from, nonce }
  on.found(followed.place)
  return followed.place
}

async function replace(
  payment: Pick<Payment, 'provider' | 'isWanted'>,
  sent: SentCall,
  { hash, place, lastOpenBlock }: Followed & { readonly place: Place },
  follow: (hash: string) => void,
): Promise<Fate | undefined> {
  const latest = await readBlockNumber(payment)
  if (latest === undefined) return 'lost'
  const nonce = readHex(place.nonce)
  const other = await findReplacement(payment, { from: place.from, nonce, after: lastOpenBlock, latest })
  if (!other) return 'lost'
  if (other.hash === hash) return undefined
  const isSame =
    other.to?.toLowerCase() === sent.call.to.toLowerCase() &&
    other.input === sent.call.data &&
    readHex(other.value) === readHex(sent.call.value)
  if (!isSame) return 'dropped'
  follow(other.hash)
  return undefined
}

async function readBlockNumber(payment: Pick<Payment, 'provider' | 'isWanted'>): Promise<bigint | undefined> {
  const number = await tryRead(payment, 'eth_blockNumber')
  return number === undefined ? undefined : readHex(number)
}

export type BlockTransaction = {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly nonce: string
  readonly input: string
  readonly value: string
}

/** Number of blocks to search if no earlier block is known. Nodes keep state for about as many blocks. */
const maxBlocksBack = 120n

/**
 * Returns the transaction of `from` that used `nonce`, by binary search over the transaction count.
 *
 * Returns `undefined` if the wallet's node cannot answer.
 *
 * @param where - `after`: a block in which the nonce was unused.
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
