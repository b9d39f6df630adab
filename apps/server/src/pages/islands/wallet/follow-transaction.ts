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

/** What became of a transaction. `lost`: it can no longer be followed, and nobody here knows how it ended. */
export type Fate = 'mined' | 'reverted' | 'dropped' | 'lost'

/** Who sent a transaction, and its place among the sender's. */
export type Place = { readonly from: string; readonly nonce: string }

/** What is told of it on the way. */
export type OnTheWay = {
  /** What identifies it beside its hash: to be kept, since nobody knows a hash that was replaced. */
  found(place: Place): void
  /** The same call stands in a transaction of another hash: sped up in the wallet. */
  replaced(hash: string): void
  /** No block has it after a while. */
  stuck(): void
}

/** A transaction as far as it is followed. */
type Followed = {
  hash: string
  place: Place | undefined
  /** The newest block in which the nonce was still free. */
  lastOpenBlock: bigint | undefined
  /** How many looks in a row found the nonce used and no block with the transaction. */
  looksUsed: number
}

/** A node may know of a new nonce before it knows of the block. */
const looksBeforeReplaced = 2

/**
 * Follows a transaction through the wallet that sent it, until it is in a block or something else has its nonce.
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

/** `undefined` where the wallet cannot say: it is no node, or its node has not heard of the transaction. */
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
