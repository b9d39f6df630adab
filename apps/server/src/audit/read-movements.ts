import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain, Hex, LogFilter } from '../chain/chain.ts'
import {
  calledTopic,
  type Movement,
  nativeTopic,
  type Ours,
  readMovement,
  sweptTopic,
  transferTopic,
} from './movement.ts'

const blocksPerWindow = 5_000n
const addressesPerFilter = 300
const readersAtOnce = 4

/** A stretch of blocks, both ends included, and how what is read of it is told of. */
export type Stretch = {
  readonly from: bigint
  readonly to: bigint
  readonly tell: (text: string) => void
}

/** Every movement that logs of a stretch tell of, window by window; each once. */
export async function readMovements(chain: Chain, ours: Ours, stretch: Stretch): Promise<Movement[]> {
  const { from, to, tell } = stretch
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
      if (windows.length > 0) tell(`read logs up to block ${window.to}; ${windows.length} ranges to go`)
    }
  }
  await Promise.all(Array.from({ length: readersAtOnce }, read))
  if (done > 0) tell(`read the logs of blocks ${from} to ${to}: ${found.size} movements`)
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
