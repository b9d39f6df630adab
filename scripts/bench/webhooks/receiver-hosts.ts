import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'

/** Every so-many-th receiver takes a request and never answers. */
const hangingEvery = 100

/**
 * The address of the `n`th receiver: all of 127.0.0.0/8 is this machine, so one process that listens on every address is
 * as many hosts as are wanted.
 */
export function receiverHost(n: number): string {
  return `127.${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`
}

/** Which receiver an address is. */
export function receiverOf(host: string): number {
  const [, a = 1, b = 0, c = 0] = host.split('.').map(Number)
  return ((a - 1) << 16) | (b << 8) | c
}

/** Whose receiver it is: each merchant has one. */
export function receiverMerchant(n: number): Wallet {
  const wallet = parseWallet(`0xbe${n.toString(16).padStart(38, '0')}`)
  if (!wallet) throw new Error(`there is no receiver ${n}`)
  return wallet
}

/** The id of the `n`th receipt, which is of the receiver `n` modulo their number. */
export function receiptOfReceiver(n: number): ReceiptId {
  return `webhook-${n}` as ReceiptId
}

/** Whether a receiver hangs: one in a hundred does. */
export function doesHang(n: number): boolean {
  return n % hangingEvery === hangingEvery - 1
}

/** How many of `count` webhooks, sent to so many receivers in turns, are answered. */
export function answeredOf(count: number, receivers: number): number {
  let answered = 0
  for (let n = 0; n < count; n++) if (!doesHang(n % receivers)) answered++
  return answered
}
