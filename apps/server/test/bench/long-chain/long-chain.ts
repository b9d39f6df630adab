/**
 * A chain computed on top of another chain's block: hundreds of thousands of blocks at almost no cost. Each
 * block names its parent. The hashes are made up, which a JSON-RPC client cannot detect.
 */
export type LongChain = {
  readonly base: ChainBase
  readonly head: number
  /** Time of the head in Unix seconds. */
  readonly headAt: number
  extend(stretch: Stretch): void
  blockText(height: number, hasTransactions: boolean): string | undefined
  logsIn(height: number): readonly MadeLog[]
  loggedHeights(from: number, to: number): readonly number[]
  receiptText(hash: string): string | undefined
  balanceOf(address: string, height: number): bigint
}

export type ChainBase = { readonly height: number; readonly hash: string; readonly at: number }

export type ChainShape = {
  readonly secondsPerBlock: number
  readonly transactionsPerBlock: number
  readonly token: string
}

/** Blocks to add. `block` counts them from 1. */
export type Stretch = {
  readonly blockCount: number
  readonly payments: readonly { block: number; to: string; amount: string; isCoin?: boolean }[]
  /** Transfers of one unit in one block, all to one address or each to a different address. */
  readonly crowds: readonly { block: number; count: number; to?: string }[]
}

export type MadeLog = { readonly address: string; readonly topics: readonly string[]; readonly text: string }

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export function beginLongChain(base: ChainBase, shape: ChainShape): LongChain {
  const logs = new Map<number, MadeLog[]>()
  const coin = new Map<number, CoinPayment[]>()
  const receipts = new Map<string, string>()
  const writeBlock = blockWriter(base, shape)
  let heights: readonly number[] = []
  let head = base.height

  return {
    base,
    get head() {
      return head
    },
    get headAt() {
      return timeOf(base, shape, head)
    },
    extend({ blockCount, payments, crowds }) {
      for (const { block, to, amount, isCoin } of payments) {
        const height = head + block
        if (isCoin) {
          const paid = { hash: madeHash(`c${height}`), to, value: BigInt(amount) }
          push(coin, height, paid)
          receipts.set(paid.hash, receiptText(hashOf(base, height), height, paid.hash))
        } else
          push(logs, height, transferLog(base, shape, { height, index: at(logs, height), to, units: amount }))
      }
      for (const { block, count, to } of crowds)
        for (let i = 0; i < count; i++) {
          const height = head + block
          const receiver = to ?? `0x${madeHash(`${height}s${i}`).slice(26)}`
          push(
            logs,
            height,
            transferLog(base, shape, { height, index: at(logs, height), to: receiver, units: '1' }),
          )
        }
      heights = [...logs.keys()].sort((a, b) => a - b)
      head += blockCount
    },
    blockText: (height, hasTransactions) =>
      height > head ? undefined : writeBlock(height, hasTransactions, coin.get(height) ?? []),
    logsIn: (height) => logs.get(height) ?? [],
    loggedHeights: (from, to) => heights.slice(firstAtLeast(heights, from), firstAtLeast(heights, to + 1)),
    receiptText(hash) {
      const [, height, index] = /(\d+)t(\d+)$/.exec(Buffer.from(hash.slice(2), 'hex').toString()) ?? []
      const log = logs.get(Number(height))?.[Number(index)]
      return log ? receiptText(hashOf(base, Number(height)), Number(height), hash, log) : receipts.get(hash)
    },
    balanceOf(address, height) {
      let sum = 0n
      for (const [at, paid] of coin)
        for (const { to, value } of at <= height ? paid : [])
          if (to.toLowerCase() === address.toLowerCase()) sum += value
      return sum
    },
  }
}

type CoinPayment = { readonly hash: string; readonly to: string; readonly value: bigint }

function quantity(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

function hashOf(base: ChainBase, height: number): string {
  return height === base.height ? base.hash : madeHash(`b${height}`)
}

function timeOf(base: ChainBase, { secondsPerBlock }: ChainShape, height: number): number {
  return base.at + Math.floor((height - base.height) * secondsPerBlock)
}

function madeHash(text: string): string {
  return `0x${Buffer.from(text).toString('hex').padStart(64, '7')}`
}

function push<T>(lists: Map<number, T[]>, key: number, value: T): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

function at(lists: ReadonlyMap<number, readonly unknown[]>, height: number): number {
  return lists.get(height)?.length ?? 0
}

function firstAtLeast(sorted: readonly number[], wanted: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return low
}

function transferLog(
  base: ChainBase,
  { token }: ChainShape,
  { height, index, to, units }: { height: number; index: number; to: string; units: string },
): MadeLog {
  const address = token.toLowerCase()
  const topicOf = (account: string) => `0x${account.slice(2).toLowerCase().padStart(64, '0')}`
  const transaction = madeHash(`${height}t${index}`)
  const topics = [transferTopic, topicOf(`0x${transaction.slice(-40)}`), topicOf(to)]
  const text = JSON.stringify({
    address,
    topics,
    data: `0x${BigInt(units).toString(16).padStart(64, '0')}`,
    blockNumber: quantity(height),
    blockHash: hashOf(base, height),
    transactionHash: transaction,
    transactionIndex: quantity(index),
    logIndex: quantity(index),
    removed: false,
  })
  return { address, topics, text }
}

function receiptText(blockHash: string, height: number, hash: string, log?: MadeLog): string {
  return JSON.stringify({
    transactionHash: hash,
    transactionIndex: '0x0',
    blockHash,
    blockNumber: quantity(height),
    status: '0x1',
    logs: log ? [JSON.parse(log.text)] : [],
    gasUsed: '0x5208',
    effectiveGasPrice: '0x3b9aca00',
  })
}

/** Returns a fast writer, which inserts a block's values into a prepared text. */
function blockWriter(base: ChainBase, shape: ChainShape) {
  const zero = `0x${'0'.repeat(64)}`
  const fillers = Array.from({ length: shape.transactionsPerBlock }, (_, i) => {
    const hash = `0x@height${i.toString(16).padStart(56, '5')}`
    return { hash, text: transactionText(hash, `0x${'d1'.repeat(20)}`, 0n, `0xa9059cbb${'0'.repeat(128)}`) }
  })
  const hashes = fillers.map(({ hash }) => `"${hash}"`).join()
  const bodies = fillers.map(({ text }) => text).join()
  return (height: number, hasTransactions: boolean, paid: readonly CoinPayment[]): string => {
    const hash = hashOf(base, height)
    const own = paid.map((each) =>
      hasTransactions ? transactionText(each.hash, each.to, each.value, '0x') : `"${each.hash}"`,
    )
    const all = [...own, ...(fillers.length > 0 ? [hasTransactions ? bodies : hashes] : [])].join()
    const text = all
      .replaceAll('@height', height.toString(16).padStart(8, '0'))
      .replaceAll('@number', quantity(height))
      .replaceAll('@block', hash)
    const parent = height === base.height + 1 ? base.hash : hashOf(base, height - 1)
    return (
      `{"number":"${quantity(height)}","hash":"${hash}","parentHash":"${parent}",` +
      `"timestamp":"${quantity(timeOf(base, shape, height))}","baseFeePerGas":"0x989680","gasLimit":"0x8f0d180",` +
      `"gasUsed":"0x2dc6c00","miner":"0x${'4'.repeat(40)}","nonce":"0x0000000000000000","size":"0xf424",` +
      `"difficulty":"0x0","extraData":"0x00","mixHash":"${zero}","stateRoot":"${zero}","receiptsRoot":"${zero}",` +
      `"transactionsRoot":"${zero}","sha3Uncles":"${zero}","logsBloom":"0x${bloom}","uncles":[],"transactions":[${text}]}`
    )
  }
}

const bloom = '40'.repeat(256)

function transactionText(hash: string, to: string, value: bigint, input: string): string {
  const [r, s] = ['a'.repeat(64), 'b'.repeat(64)]
  return (
    `{"hash":"${hash}","blockHash":"@block","blockNumber":"@number","transactionIndex":"0x1","type":"0x2",` +
    `"chainId":"0x7a69","nonce":"0x2a","from":"0x${'c'.repeat(40)}","to":"${to.toLowerCase()}",` +
    `"value":"${quantity(value)}","input":"${input}","gas":"0x5208","gasPrice":"0x3b9aca00",` +
    `"maxFeePerGas":"0x3b9aca00","maxPriorityFeePerGas":"0x1","accessList":[],"yParity":"0x1","v":"0x1",` +
    `"r":"0x${r}","s":"0x${s}"}`
  )
}
