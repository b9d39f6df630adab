import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain, ChainLog, Hex, LogFilter } from '../chain/chain.ts'

const blocksPerWindow = 5_000n
const addressesPerFilter = 300
const readersAtOnce = 4

export type Stretch = {
  readonly from: bigint
  readonly to: bigint
  readonly report: (text: string) => void
}

export async function readMovements(chain: Chain, ours: Ours, stretch: Stretch): Promise<Movement[]> {
  const { from, to, report } = stretch
  const found = new Map<string, Movement>()
  const windows: { from: bigint; to: bigint }[] = []
  for (let at = from; at <= to; at += blocksPerWindow) {
    const end = at + blocksPerWindow - 1n
    windows.push({ from: at, to: end < to ? end : to })
  }
  let done = 0
  const read = async () => {
    for (let window = windows.shift(); window; window = windows.shift()) {
      for (const filter of filtersOf(ours, window))
        for (const log of await chain.readLogs(filter)) {
          const movement = readMovement(ours, log)
          if (movement) found.set(`${movement.txHash} ${movement.logIndex}`, movement)
        }
      done += 1
      if (windows.length > 0) report(`read logs up to block ${window.to}; ${windows.length} ranges to go`)
    }
  }
  await Promise.all(Array.from({ length: readersAtOnce }, read))
  if (done > 0) report(`read the logs of blocks ${from} to ${to}: ${found.size} movements`)
  return [...found.values()]
}

function* filtersOf(ours: Ours, range: { from: bigint; to: bigint }): Generator<LogFilter> {
  yield { ...range, addresses: [...ours.factories], topics: [sweptTopic] }
  for (const addresses of pagesOf([...ours.splits]))
    yield { ...range, addresses, topics: [[calledTopic, nativeTopic]] }
  const tokens = [...ours.tokens].filter((token) => token !== nativeAddress)
  if (tokens.length === 0) return
  for (const owners of pagesOf([...ours.splits, ...ours.deposits])) {
    const to = owners.map((owner) => `0x${owner.slice(2).toLowerCase().padStart(64, '0')}` as Hex)
    yield { ...range, addresses: tokens, topics: [transferTopic, null, to] }
  }
}

function pagesOf(addresses: readonly Wallet[]): Wallet[][] {
  const pages: Wallet[][] = []
  for (let at = 0; at < addresses.length; at += addressesPerFilter)
    pages.push(addresses.slice(at, at + addressesPerFilter))
  return pages
}

/**
 * A log of a movement of money to one of the service's addresses.
 *
 * `token-in` and `coin-in` are transfers. `called` and `swept` explain a transfer in the same transaction.
 */
export type Movement = {
  readonly kind: 'token-in' | 'coin-in' | 'called' | 'swept'
  readonly to: Wallet
  readonly from: Wallet | undefined
  readonly reference: Hex | undefined
  readonly token: Wallet
  readonly amount: bigint
  readonly txHash: Hex
  readonly logIndex: number
  readonly blockNumber: bigint
}

// The topics are written out, so that the audit does not depend on the watcher's decoder.
/** `Transfer(address,address,uint256)` */
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** `Payment(bytes32,address,address,uint256)`, logged by a split. */
export const calledTopic = '0x50941445d212167ff98a2ff018c9c9a3181a60e1e39ce40326f17130ca56d143'
/** `PaymentReceived(address,uint256)`, logged by a split. */
export const nativeTopic = '0x6ef95f06320e7a25a04a175ca677b7052bdd97131872c2192525a629f51be770'
/** `DepositSwept(bytes32,address,address,address,uint256)`, logged by the factory. */
export const sweptTopic = '0x8eafb3fe0b4e19aa81b2005c82a0b33d8614a8b0a39ddeb1ab634d79f6bc781e'

export type Ours = {
  readonly splits: ReadonlySet<Wallet>
  readonly deposits: ReadonlySet<Wallet>
  readonly tokens: ReadonlySet<Wallet>
  readonly factories: ReadonlySet<Wallet>
}

export function readMovement(ours: Ours, log: ChainLog): Movement | undefined {
  const { address, topics, data, transactionHash: txHash, logIndex, blockNumber } = log
  const at = { txHash, logIndex, blockNumber, reference: undefined }
  const word = (index: number) => BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index) || '0'}`)
  switch (topics[0]) {
    case transferTopic: {
      const to = addressIn(topics[2])
      const isOurs = ours.splits.has(to) || ours.deposits.has(to)
      if (!isOurs || !ours.tokens.has(address)) return undefined
      return { kind: 'token-in', to, from: undefined, token: address, amount: word(0), ...at }
    }
    case nativeTopic:
      if (!ours.splits.has(address)) return undefined
      return { kind: 'coin-in', to: address, from: undefined, token: nativeAddress, amount: word(1), ...at }
    case calledTopic: {
      const token = addressIn(topics[2])
      if (!ours.splits.has(address) || !ours.tokens.has(token)) return undefined
      return {
        kind: 'called',
        to: address,
        from: undefined,
        token,
        amount: word(0),
        ...at,
        reference: topics[1],
      }
    }
    case sweptTopic: {
      const [to, token] = [addressIn(topics[2]), addressIn(topics[3])]
      if (!ours.factories.has(address) || !ours.splits.has(to) || !ours.tokens.has(token)) return undefined
      const from = parseWallet(`0x${data.slice(26, 66)}`)
      return { kind: 'swept', to, from, token, amount: word(1), ...at }
    }
    default:
      return undefined
  }
}

function addressIn(topic: Hex | undefined): Wallet {
  return parseWallet(`0x${(topic ?? '').slice(26)}`) ?? nativeAddress
}
