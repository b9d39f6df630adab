import type { Hex } from '../../chain/chain.ts'
import type { Finding, UnmatchedLog } from '../ledger/match-transfer.ts'
import type { PaymentKey } from '../ledger/payment.ts'

/** What a watcher found and could not write into the books: money for a receipt or for none, or money lost. */
export type KeptFinding =
  | { readonly kind: 'finding'; readonly content: Finding }
  | { readonly kind: 'unmatched'; readonly content: UnmatchedLog }
  | { readonly kind: 'orphaned'; readonly content: KeptReversal }

/** Money that a reorg took the block of. */
export type KeptReversal = PaymentKey & {
  readonly blockNumber: bigint
  /** The block that was gone, which is not remembered for ever; absent in old rows. */
  readonly goneHash?: Hex | undefined
}

/** That payments of a receipt went with a block, and are marked: whatever they are, under a key that is no payment's. */
export function reversalOfBlock(hash: Hex): KeptReversal {
  return { txHash: hash, logIndex: 0, address: '', blockNumber: 0n, goneHash: hash }
}

/** The block of which a reversal says no more than that it is gone. */
export function blockOfReversal({ txHash, logIndex, goneHash }: KeptReversal): Hex | undefined {
  return logIndex === 0 && txHash === goneHash ? goneHash : undefined
}

/**
 * What is kept of a finding, as text. Its bigints are texts with an `n` there, which are told by the names of their
 * fields: a receipt may be called `42n`.
 */
export function writeContent(content: KeptFinding['content']): string {
  return JSON.stringify(content, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
}

/** The reverse of {@link writeContent}. */
export function readContent(text: string): KeptFinding['content'] {
  return JSON.parse(text, (name, value) =>
    Object.hasOwn(bigints, name) && typeof value === 'string' ? BigInt(value.slice(0, -1)) : value,
  )
}

/** Every field of what is kept, however deep, that is a bigint: the compiler misses none. */
const bigints: Record<FieldsOf<KeptFinding['content'], bigint>, true> = {
  amount: true,
  blockNumber: true,
  lateRate: true,
  number: true,
}

/** The names of the fields of that kind, in a record and in those inside of it. */
type FieldsOf<Content, Kind> = Content extends object
  ? { [Name in keyof Content & string]: FieldOf<Name, Content[Name], Kind> }[keyof Content & string]
  : never

type FieldOf<Name, Value, Kind> = Value extends Kind
  ? Name
  : Value extends object
    ? FieldsOf<Value, Kind>
    : never
