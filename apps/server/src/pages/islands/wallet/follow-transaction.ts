import { findReplacement } from './find-replacement.ts'
import { pauseBeforeLook } from './pause.ts'
import { type Payment, type SentCall, tryRead } from './payment.ts'
import { readHex } from './provider.ts'

/** What became of a transaction. `lost`: it can no longer be followed, and nobody here knows how it ended. */
export type Fate = 'mined' | 'reverted' | 'dropped' | 'lost'

/** What is told of it on the way. */
export type OnTheWay = {
  /** The same call stands in a transaction of another hash: sped up in the wallet. */
  replaced(hash: string): void
  /** No block has it after a while. */
  stuck(): void
}

/** A transaction as far as it is followed. */
type Followed = {
  hash: string
  from?: string
  nonce?: bigint
  /** The newest block in which the nonce was still free. */
  lastOpenBlock: bigint | undefined
  /** How many looks in a row found the nonce used and no block with the transaction. */
  looksUsed: number
}

const stuckAfterMs = 60_000
const maxLooks = 300
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
  sentAgoMs = 0,
): Promise<Fate> {
  const followed: Followed = { hash: sent.hash, lastOpenBlock: undefined, looksUsed: 0 }
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
  const count = await countOf(payment, followed)
  if (count === undefined || followed.nonce === undefined) return undefined
  if (count <= followed.nonce) {
    followed.looksUsed = 0
    followed.lastOpenBlock = await readBlockNumber(payment)
    return undefined
  }
  if (++followed.looksUsed < looksBeforeReplaced) return undefined
  return replace(payment, sent, followed, on)
}

/** How many transactions the sender has in blocks; `undefined` where the wallet cannot say. */
async function countOf(
  payment: Pick<Payment, 'provider' | 'isWanted'>,
  followed: Followed,
): Promise<bigint | undefined> {
  if (followed.nonce === undefined) {
    const known = await tryRead(payment, 'eth_getTransactionByHash', followed.hash)
    const { from, nonce } = (known ?? {}) as { from?: string; nonce?: string }
    if (!from || !nonce) return undefined
    followed.from = from
    followed.nonce = readHex(nonce)
  }
  const count = await tryRead(payment, 'eth_getTransactionCount', followed.from, 'latest')
  return count === undefined ? undefined : readHex(count)
}

async function replace(
  payment: Pick<Payment, 'provider' | 'isWanted'>,
  sent: SentCall,
  followed: Followed,
  on: OnTheWay,
): Promise<Fate | undefined> {
  const { from = '', nonce = 0n, lastOpenBlock } = followed
  const latest = await readBlockNumber(payment)
  if (latest === undefined) return 'lost'
  const other = await findReplacement(payment, { from, nonce, after: lastOpenBlock, latest })
  if (!other) return 'lost'
  if (other.hash === followed.hash) return undefined
  const isSame =
    other.to?.toLowerCase() === sent.call.to.toLowerCase() &&
    other.input === sent.call.data &&
    readHex(other.value) === readHex(sent.call.value)
  if (!isSame) return 'dropped'
  followed.hash = other.hash
  followed.looksUsed = 0
  on.replaced(other.hash)
  return undefined
}

async function readBlockNumber(payment: Pick<Payment, 'provider' | 'isWanted'>): Promise<bigint | undefined> {
  const number = await tryRead(payment, 'eth_blockNumber')
  return number === undefined ? undefined : readHex(number)
}
