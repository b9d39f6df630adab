import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { nativeAddress, parseWallet, parseWalletWord, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeEventTopics } from 'viem'
import type { ChainLog, Hex } from '../../chain/chain.ts'
import { sweptTopic, transferTopic } from '../../split/ledger/decode-events.ts'
import type { PaymentBlock, PaymentKey } from './payment.ts'
import type { NativeMove } from './place-store.ts'

export type Transfer = PaymentKey & {
  readonly tokenAddress: Wallet
  readonly amount: bigint
  /**
   * Sender as the log encodes it. {@link readPayer} computes the checksum, which is expensive, only for our
   * payments.
   */
  readonly sender: Hex | undefined
  readonly block: PaymentBlock
} & (
    | { readonly kind: 'call'; readonly reference: Hex; readonly splitAddress: Wallet }
    | { readonly kind: 'transfer' | 'native'; readonly depositAddress: Wallet }
  )

export const paymentTopic = encodeEventTopics({ abi: merchantSplitAbi, eventName: 'Payment' })[0] as Hex

/** Parses a payment log. The caller must check the address of the log: anyone can emit this event. */
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

/** Returns the sender, or `undefined` if unknown or not a valid address. */
export function readPayer({ sender }: Pick<Transfer, 'sender'>): Wallet | undefined {
  return sender?.length === 42 ? parseWallet(sender) : readAddress(sender)
}

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
