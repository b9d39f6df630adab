import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { decodeEventLog, encodeEventTopics, parseAbi, toEventSelector } from 'viem'
import type { ChainLog, Hex } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import type { BookedEvent, Place } from '../split-event.ts'

const transferAbi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])
/** Splits from release 0.1.0 do not log a kept unit. */
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

export const splitTopics: readonly Hex[] = [
  ...splitEventNames.map((eventName) => topicOf(eventName)),
  ...earlierAbi.map((event) => toEventSelector(event)),
]

export const sweptTopic: Hex = topicOf('DepositSwept')

export const transferTopic: Hex = topicOf('Transfer')

/**
 * Decodes logs in chain order into ledger events.
 *
 * A payment leaves up to two logs: the transfer, then `Payment` or `DepositSwept`. The two logs become one
 * event at the position of the second log. Any other transfer is plain.
 *
 * @param known.splits - Logs of other addresses are ignored, because anyone can emit the same topics.
 * @param known.tokens - Accepted tokens.
 * @param known.blockTimes - By block number.
 */
export function decodeEvents(known: Known, logs: readonly ChainLog[]): BookedEvent[] {
  const booked: Movement[] = []
  for (const log of logs) {
    const place = placeOf(log, known.blockTimes)
    const movement = readLog(known, log, place)
    if (!movement || !known.splits.has(movement.split) || !known.tokens.has(movement.token)) continue
    if (movement.explains) dropExplained(booked, movement, movement.explains)
    booked.push(movement)
  }
  return booked.map(({ split, token, event }) => ({ split, token, event }))
}

type Known = {
  readonly factories: ReadonlySet<Wallet>
  readonly splits: ReadonlySet<Wallet>
  readonly tokens: ReadonlySet<Wallet>
  readonly blockTimes: ReadonlyMap<bigint, UnixMs>
}

type Movement = BookedEvent & {
  /** The transfer log that precedes this one in the same transaction. */
  readonly explains?: { readonly from: Wallet; readonly amount: bigint }
}

function readLog(known: Known, log: ChainLog, place: Place): Movement | undefined {
  const decoded = decode(log)
  if (!decoded) return undefined
  const split = log.address
  switch (decoded.eventName) {
    case 'Transfer': {
      const { from, to, value: amount } = decoded.args
      return arrivedPlain(wallet(to), log.address, { from: wallet(from), amount, place })
    }
    case 'PaymentReceived': {
      const { from, amount } = decoded.args
      return arrivedPlain(split, nativeAddress, { from: wallet(from), amount, place })
    }
    case 'DepositSwept': {
      if (!known.factories.has(log.address)) return undefined
      const { ref: reference, amount } = decoded.args
      const deposit = wallet(decoded.args.deposit)
      const event = { kind: 'arrived', how: 'sweep', amount, reference, deposit, place } as const
      const [into, token] = [wallet(decoded.args.split), wallet(decoded.args.token)]
      return { split: into, token, event, explains: { from: deposit, amount } }
    }
    case 'Payment': {
      const { receiptRef: reference, amount } = decoded.args
      const token = wallet(decoded.args.token)
      const event = { kind: 'arrived', how: 'call', amount, reference, deposit: undefined, place } as const
      const explains = token === nativeAddress ? undefined : { from: wallet(decoded.args.payer), amount }
      return { split, token, event, ...(explains && { explains }) }
    }
    case 'Distributed': {
      const { token, totalReceived: total } = decoded.args
      const isUnitKept = 'isUnitKept' in decoded.args && decoded.args.isUnitKept
      return { split, token: wallet(token), event: { kind: 'distributed', total, isUnitKept, place } }
    }
    case 'PushFailed': {
      const { token, account, amount } = decoded.args
      return { split, token: wallet(token), event: { kind: 'held', account: wallet(account), amount, place } }
    }
    case 'PaymentReleased': {
      const { to, amount } = decoded.args
      return { split, token: nativeAddress, event: released(to, amount, place) }
    }
    case 'ERC20PaymentReleased': {
      const { token, to, amount } = decoded.args
      return { split, token: wallet(token), event: released(to, amount, place) }
    }
    default:
      return undefined
  }
}

function dropExplained(
  booked: Movement[],
  { split, token, event }: Movement,
  { from, amount }: NonNullable<Movement['explains']>,
): void {
  const { transactionHash } = event.place
  let more = -1
  // Searches this transaction only, because earlier logs may contain any number of unrelated transfers.
  for (let i = booked.length - 1; booked[i]?.event.place.transactionHash === transactionHash; i--) {
    const each = booked[i]
    if (each?.split !== split || each.token !== token) continue
    if (each.event.kind !== 'arrived' || each.event.how !== 'plain') continue
    if (each.event.from !== from || each.event.amount < amount) continue
    if (each.event.amount === amount) return void booked.splice(i, 1)
    // For a fee-on-transfer token, the logged amount exceeds the received amount.
    if (more < 0) more = i
  }
  if (more >= 0) booked.splice(more, 1)
}

function arrivedPlain(
  split: Wallet,
  token: Wallet,
  { from, amount, place }: { from: Wallet; amount: bigint; place: Place },
): Movement | undefined {
  if (amount === 0n) return undefined
  const event = {
    kind: 'arrived',
    how: 'plain',
    amount,
    reference: undefined,
    deposit: undefined,
    from,
    place,
  } as const
  return { split, token, event }
}

function released(to: string, amount: bigint, place: Place): BookedEvent['event'] {
  return { kind: 'released', account: wallet(to), amount, place }
}

function placeOf(log: ChainLog, blockTimes: ReadonlyMap<bigint, UnixMs>): Place {
  const at = blockTimes.get(log.blockNumber)
  assert(at !== undefined, 'the time of every block with a log was read')
  const { blockNumber, blockHash, transactionHash, logIndex } = log
  return { blockNumber, blockHash, at, transactionHash, logIndex }
}

function decode(log: ChainLog) {
  try {
    return decodeEventLog({ abi, topics: log.topics as [Hex, ...Hex[]], data: log.data, strict: true })
  } catch {
    return undefined
  }
}

function wallet(address: string): Wallet {
  const parsed = parseWallet(address)
  assert(parsed, 'a decoded address is valid')
  return parsed
}

function topicOf(eventName: (typeof splitEventNames)[number] | 'DepositSwept' | 'Transfer'): Hex {
  const [topic] = encodeEventTopics({ abi: currentAbi, eventName })
  assert(typeof topic === 'string', 'an event that is not anonymous has a topic')
  return topic as Hex
}
