import type { UnixMs } from '@sluice/protocol/time.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import type { Chain, Hex, LogFilter } from '../../chain/chain.ts'
import { readTransfers } from './read-transfers.ts'

const wallet = (n: number) => parseWallet(`0x${n.toString(16).padStart(40, '0')}`) as Wallet
const hash = `0x${'1'.repeat(64)}` as Hex
const block = { number: 7n, hash, parentHash: hash, at: 0 as UnixMs }

test("logs are asked for of our own contracts alone: others' spam never comes over the wire", async () => {
  const filters: LogFilter[] = []
  const chain = {
    factory: wallet(1),
    tokens: [],
    readLogsOfAll: async (asked: readonly LogFilter[]) => {
      filters.push(...asked)
      return []
    },
  } as unknown as Chain
  const splits = Array.from({ length: 1_200 }, (_, i) => wallet(i + 10))
  await readTransfers(chain, [block], { splits, targets: [] })
  expect(filters.flatMap(({ addresses }) => addresses)).toEqual([chain.factory, ...splits])
  for (const { addresses } of filters) expect(addresses?.length).toBeLessThanOrEqual(500)
})
