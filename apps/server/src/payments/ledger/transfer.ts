import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { nativeAddress, parseWallet, parseWalletWord, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeEventTopics } from 'viem'
import type { ChainLog, Hex } from '../../chain/chain.ts'
import { sweptTopic, transferTopic } from '../../split/ledger/decode-events.ts'
import type { PaymentBlock, PaymentKey } from './payment.ts'
import type { NativeMove } from './place-store.ts'

/** Money on the chain that may be ours: a call to a split, or money that reached a deposit address. */
export type Transfer = PaymentKey & {
  readonly tokenAddress: Wallet
  readonly amount: bigint
  /** Who sent it, as the chain has it: {@link readPayer} spells it, which is dear and only done for money that is ours. */
  readonly sender: Hex | undefined
  readonly block: PaymentBlock
} & (
    | { readonly kind: 'call'; readonly reference: Hex; readonly splitAddress: Wallet }
    | { readonly kind: 'transfer' | 'native'; readonly depositAddress: Wallet }
  )

/** First topic of a call that carries a reference. */
export const paymentTopic = encodeEventTopics({ abi: merchantSplitAbi, eventName: 'Payment' })[0] as Hex

/** The payment a log of this form tells of, `undefined` for every other form. Who logged it is not judged here. */
export function readPaymentLog(log: ChainLog, block: PaymentBlock): Transfer | undefined {
  const [topic, reference, token, payer] = log.topics
  const tokenAddress = readAddress(token)
  const amount = readWord(log.data, 0)
  if (topic !== paymentTopic || !reference || !tokenAddress || amount === undefined) return undefined
  return {
    kind: 'call',
    ...keyOf(log),
    reference,
    splitAddress: log.address,
    tokenAddress,
    amount,
    sender: payer,
    block,
  }
}

/** The token transfer a log of this form tells of. */
export function readTransferLog(log: ChainLog, block: PaymentBlock): Transfer | undefined {
  const [topic, from, to] = log.topics
  const depositAddress = readAddress(to)
  const amount = readWord(log.data, 0)
  if (topic !== transferTopic || !depositAddress || amount === undefined) return undefined
  return {
    kind: 'transfer',
    txHash: log.transactionHash,
    logIndex: log.logIndex,
    address: '',
    depositAddress,
    tokenAddress: log.address,
    amount,
    sender: from,
    block,
  }
}

/** Who sent money; `undefined` where nobody knows, or what the log has in that place is no address. */
export function readPayer({ sender }: Pick<Transfer, 'sender'>): Wallet | undefined {
  return sender?.length === 42 ? parseWallet(sender) : readAddress(sender)
}

/** The coin a sweep took from a deposit address; `undefined` for sweeps of tokens and other logs. */
export function readNativeSweep(log: ChainLog, factories: readonly Wallet[]): NativeMove | undefined {
  const [, , , token] = log.topics
  const amount = readWord(log.data, 1)
  const depositAddress = readSweptDeposit(log, factories)
  if (readAddress(token) !== nativeAddress || amount === undefined || !depositAddress) return undefined
  return {
    txHash: log.transactionHash,
    logIndex: log.logIndex,
    depositAddress,
    amount: -amount,
    blockNumber: log.blockNumber,
  }
}

/** The deposit address that a factory's sweep emptied of something; `undefined` for other logs. */
export function readSweptDeposit(log: ChainLog, factories: readonly Wallet[]): Wallet | undefined {
  if (!factories.includes(log.address) || log.topics[0] !== sweptTopic) return undefined
  return parseWallet(`0x${log.data.slice(26, 66)}`)
}

function keyOf(log: ChainLog): PaymentKey {
  return { txHash: log.transactionHash, logIndex: log.logIndex, address: '' }
}

function readAddress(topic: Hex | undefined): Wallet | undefined {
  return topic === undefined ? undefined : parseWalletWord(topic)
}

function readWord(data: Hex, index: number): bigint | undefined {
  if (index === 0 && data.length === 66) return BigInt(data)
  const word = data.slice(2 + 64 * index, 66 + 64 * index)
  return word.length === 64 ? BigInt(`0x${word}`) : undefined
}
