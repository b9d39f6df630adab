import type { UnixMs } from '@sluice/protocol/time.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import fc from 'fast-check'
import { decodeEventLog, erc20Abi, getAddress } from 'viem'
import { expect, test } from 'vitest'
import type { Chain, ChainLog, Hex } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { transferTopic } from '../../split/ledger/decode-events.ts'
import type { Target } from '../attempts/targets.ts'
import { readPayer } from '../ledger/transfer.ts'
import { readTransfers } from './read-transfers.ts'

const hex = (n: number, bytes: number): Hex => `0x${n.toString(16).padStart(bytes * 2, '0')}`
const wallet = (n: number) => parseWallet(hex(n, 20)) as Wallet
const token = wallet(0x70)
const blocks = [1n, 2n, 3n].map((number) => {
  const n = Number(number)
  return { number, hash: hex(n + 1, 32), parentHash: hex(n, 32), at: (n * 1_000) as UnixMs }
})
const chain = { factory: wallet(1), tokens: [] } as unknown as Chain
const targets = [{ depositAddress: wallet(2), tokenAddress: token }] as unknown as Target[]

const word = fc.oneof(
  { weight: 4, arbitrary: fc.nat(20).map((n) => hex(n, 32)) },
  fc.nat(20).map((n): Hex => `0x${'0'.repeat(22)}01${hex(n, 20).slice(2)}`),
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((n): Hex => `0x${n.toString(16).padStart(64, '0')}`),
)
const log = fc.record({
  address: fc.constant(token),
  topics: fc.oneof(
    { weight: 6, arbitrary: fc.tuple(word, word).map(([from, to]) => [transferTopic, from, to]) },
    fc.array(word, { maxLength: 3 }).map((topics) => [transferTopic, ...topics]),
  ),
  data: fc.oneof(
    { weight: 6, arbitrary: word },
    fc.tuple(word, word).map(([a, b]): Hex => `${a}${b.slice(2)}` as Hex),
    fc.constantFrom<Hex>('0x', '0x01', hex(5, 31)),
  ),
  blockNumber: fc.constantFrom(1n, 2n, 3n),
  transactionHash: word,
  logIndex: fc.nat(1_000),
})

function decodePlainly({ topics, data }: Pick<ChainLog, 'topics' | 'data'>) {
  const isWord = (topic: Hex | undefined) => topic !== undefined && /^0x0{24}/.test(topic)
  if (topics.length < 3 || !isWord(topics[2])) return undefined
  if (data.length < 66) return undefined
  const { args } = decodeEventLog({
    abi: erc20Abi,
    eventName: 'Transfer',
    topics: topics.slice(0, 3) as [Hex, ...Hex[]],
    data: data.slice(0, 66) as Hex,
  })
  return {
    to: getAddress(args.to),
    from: isWord(topics[1]) ? getAddress(args.from) : undefined,
    amount: args.value,
  }
}

test('transfers are decoded as viem decodes them, whatever else stands in their words', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(log, { maxLength: 20 }), async (some) => {
      const logs = some.map(
        (each): ChainLog => ({ ...each, blockHash: hex(Number(each.blockNumber) + 1, 32) }),
      )
      const known = { own: [], token: logs }
      const { transfers } = await readTransfers(chain, blocks, { splits: [], targets }, known)
      const plain = logs.flatMap((each) => {
        const decoded = decodePlainly(each)
        if (!decoded) return []
        const { transactionHash: txHash, logIndex, blockNumber: number, blockHash } = each
        return [
          {
            kind: 'transfer',
            txHash,
            logIndex,
            address: '',
            depositAddress: decoded.to,
            tokenAddress: token,
            amount: decoded.amount,
            payer: decoded.from,
            block: { number, hash: blockHash, at: Number(number) * 1_000 },
          },
        ]
      })
      const spelled = transfers.map(({ sender, ...rest }) => ({ ...rest, payer: readPayer({ sender }) }))
      expect(spelled).toEqual(plain)
    }),
    { numRuns: 1_000 },
  )
})

test('a log whose block is none of those that were read, by number or by hash, spoils the reading', async () => {
  const good = { ...fc.sample(log, 1)[0], blockNumber: 2n, blockHash: hex(3, 32) } as ChainLog
  const strange = [
    { ...good, blockHash: hex(2, 32) },
    { ...good, blockNumber: 4n },
    { ...good, blockNumber: 1n },
    { ...good, blockNumber: 9n, blockHash: hex(99, 32) },
  ]
  for (const each of strange) {
    const known = { own: [], token: [good, each] }
    await expect(readTransfers(chain, blocks, { splits: [], targets }, known)).rejects.toThrow(
      ChainUnavailable,
    )
  }
})
