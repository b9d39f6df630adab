import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { decodeEventLog, encodeEventTopics, parseAbi, toEventSelector } from 'viem'
import type { ChainLog, Hex } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import type { BookedEvent, Place } from '../split-event.ts'

const transferAbi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])
/** What a split of release 0.1.0 logs of a distribution: it keeps no unit. */
const earlierAbi = parseAbi(['event Distributed(address indexed token, uint256 totalReceived)'])
const currentAbi = [...merchantSplitAbi, ...splitFactoryAbi, ...transferAbi] as const
const abi = [...currentAbi, ...earlierAbi] as const

const splitEventNames = [
  'Payment',
  'PaymentReceived',
  'Distributed',
  'PushFailed',
  'PaymentReleased',
  'ERC20PaymentReleased',
] as const

/** First topics of what a split logs itself. */
export const splitTopics: readonly Hex[] = [
  ...splitEventNames.map((eventName) => topicOf(eventName)),
  ...earlierAbi.map((event) => toEventSelector(event)),
]

/** First topic of a sweep, logged by the factory. */
export const sweptTopic: Hex = topicOf('DepositSwept')

/** First topic of a token's transfer; the third is who gets it. */
export const transferTopic: Hex = topicOf('Transfer')

/**
 * What the logs say of our splits' books, in the order given, which is the chain's.
 *
 * One movement leaves up to two logs: the money's own (`Transfer`, or `PaymentReceived` for the coin) and then
 * the one that says what it was for (`Payment`, `DepositSwept`). They become one event, at the place of the
 * latter; what nothing explains within its transaction is a plain transfer.
 *
 * @param known.splits - Ours. Logs of other addresses are left aside: anyone can log the same topics.
 * @param known.tokens - Those that are taken; books are kept of no other.
 * @param known.blockTimes - By block number.
 */
export function decodeEvents(
  known: {
    readonly factories: ReadonlySet<Wallet>
    readonly splits: ReadonlySet<Wallet>
    readonly tokens: ReadonlySet<Wallet>
    readonly blockTimes: ReadonlyMap<bigint, UnixMs>
  },
  logs: readonly ChainLog[],
): BookedEvent[] {
  const booked: (BookedEvent & { from?: Wallet })[] = []

  for (const log of logs) {
    const place = placeOf(log, known.blockTimes)
    const plain = (split: Wallet, token: Wallet, from: Wallet, amount: bigint) => {
      if (amount === 0n || !known.splits.has(split) || !known.tokens.has(token)) return
      booked.push({ split, token, from, event: arrivedPlain(amount, place) })
    }
    const explain = (arrival: { split: Wallet; token: Wallet; from: Wallet; amount: bigint }) => {
      const { split, token, from, amount } = arrival
      const isOwn = ({ event, ...other }: BookedEvent & { from?: Wallet }) =>
        other.split === split &&
        other.token === token &&
        other.from === from &&
        event.kind === 'arrived' &&
        event.how === 'plain' &&
        event.place.transactionHash === log.transactionHash
      const exact = booked.findLastIndex((each) => isOwn(each) && amountOf(each) === amount)
      // A token that keeps a fee logs more than arrives.
      const index =
        exact >= 0 ? exact : booked.findLastIndex((each) => isOwn(each) && amountOf(each) > amount)
      if (index >= 0) booked.splice(index, 1)
    }
    const decoded = decode(log)
    if (!decoded) continue

    if (decoded.eventName === 'Transfer') {
      plain(wallet(decoded.args.to), log.address, wallet(decoded.args.from), decoded.args.value)
      continue
    }
    if (decoded.eventName === 'DepositSwept') {
      if (!known.factories.has(log.address)) continue
      const { ref: reference, amount } = decoded.args
      const split = wallet(decoded.args.split)
      const token = wallet(decoded.args.token)
      const deposit = wallet(decoded.args.deposit)
      if (!known.splits.has(split) || !known.tokens.has(token)) continue
      explain({ split, token, from: deposit, amount })
      booked.push({
        split,
        token,
        event: { kind: 'arrived', how: 'sweep', amount, reference, deposit, place },
      })
      continue
    }

    const split = log.address
    if (!known.splits.has(split)) continue
    const push = (token: Wallet, event: BookedEvent['event']) => {
      if (known.tokens.has(token)) booked.push({ split, token, event })
    }
    switch (decoded.eventName) {
      case 'PaymentReceived':
        plain(split, nativeAddress, wallet(decoded.args.from), decoded.args.amount)
        break
      case 'Payment': {
        const { receiptRef: reference, amount } = decoded.args
        const token = wallet(decoded.args.token)
        if (token !== nativeAddress) explain({ split, token, from: wallet(decoded.args.payer), amount })
        push(token, { kind: 'arrived', how: 'call', amount, reference, deposit: undefined, place })
        break
      }
      case 'Distributed': {
        const { token, totalReceived: total } = decoded.args
        const isUnitKept = 'isUnitKept' in decoded.args && decoded.args.isUnitKept
        push(wallet(token), { kind: 'distributed', total, isUnitKept, place })
        break
      }
      case 'PushFailed': {
        const account = wallet(decoded.args.account)
        push(wallet(decoded.args.token), { kind: 'held', account, amount: decoded.args.amount, place })
        break
      }
      case 'PaymentReleased': {
        const account = wallet(decoded.args.to)
        push(nativeAddress, { kind: 'released', account, amount: decoded.args.amount, place })
        break
      }
      case 'ERC20PaymentReleased': {
        const account = wallet(decoded.args.to)
        push(wallet(decoded.args.token), { kind: 'released', account, amount: decoded.args.amount, place })
      }
    }
  }
  return booked.map(({ split, token, event }) => ({ split, token, event }))
}

function amountOf({ event }: BookedEvent): bigint {
  return event.kind === 'arrived' ? event.amount : 0n
}

function arrivedPlain(amount: bigint, place: Place): BookedEvent['event'] {
  return { kind: 'arrived', how: 'plain', amount, reference: undefined, deposit: undefined, place }
}

function placeOf(log: ChainLog, blockTimes: ReadonlyMap<bigint, UnixMs>): Place {
  const at = blockTimes.get(log.blockNumber)
  assert(at !== undefined, 'the time of every block with a log was read')
  const { blockNumber, blockHash, transactionHash, logIndex } = log
  return { blockNumber, blockHash, at, transactionHash, logIndex }
}

/** `undefined` where the log has the topic of an event of ours but not its form: it is somebody else's. */
function decode(log: ChainLog) {
  try {
    return decodeEventLog({ abi, topics: log.topics as [Hex, ...Hex[]], data: log.data, strict: true })
  } catch {
    return undefined
  }
}

function wallet(address: string): Wallet {
  const parsed = parseWallet(address)
  assert(parsed, 'a decoded address is one')
  return parsed
}

function topicOf(eventName: (typeof splitEventNames)[number] | 'DepositSwept' | 'Transfer'): Hex {
  const [topic] = encodeEventTopics({ abi: currentAbi, eventName })
  assert(typeof topic === 'string', 'an event that is not anonymous has a topic')
  return topic as Hex
}
