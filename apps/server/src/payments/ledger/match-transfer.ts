import type { RateE8 } from '@sluice/protocol/money.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { isLostReceipt } from '../attempts/attempt.ts'
import type { Target } from '../attempts/targets.ts'
import type { FoundLog } from './known-log.ts'
import { readPayer, type Transfer } from './transfer.ts'

export type Finding = FoundLog & {
  readonly target: Target
  /**
   * Rate at the time of detection, for a payment after its quote expired; absent if no rate was available.
   */
  readonly lateRate?: RateE8
}

export type UnmatchedReason =
  | 'wrong-token'
  | 'unknown-reference'
  | 'unknown-deposit'
  | 'unlisted-token'
  | 'direct'
  | 'receipt-settled'
  | 'no-rate'
  | 'too-many-payments'

export type UnmatchedLog = FoundLog & {
  readonly target: Target | undefined
  readonly reason: UnmatchedReason
}

export type Match =
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'unmatched'; readonly unmatchedLog: UnmatchedLog }
  | { readonly kind: 'none'; readonly because: 'not ours' | 'forged' | 'no token of ours' | 'nothing' }

export type Known = {
  readonly byReference: ReadonlyMap<string, Target>
  readonly byDeposit: ReadonlyMap<string, Target>
  readonly splitOwners: ReadonlyMap<string, Wallet>
  readonly tokens: readonly Token[]
}

/**
 * Matches a transfer to an attempt. Anyone can emit the same events, so a call counts only if the attempt's
 * own split logged it.
 *
 * See docs/contract.md#matching-payments.
 */
export function matchTransfer(known: Known, transfer: Transfer): Match {
  const { kind, tokenAddress, amount, block } = transfer
  if (amount === 0n) return { kind: 'none', because: 'nothing' }
  const isListed =
    tokenAddress === nativeAddress || known.tokens.some(({ address }) => address === tokenAddress)
  if (!isListed) return { kind: 'none', because: 'no token of ours' }
  const key = { txHash: transfer.txHash, logIndex: transfer.logIndex, address: transfer.address }
  const source = transfer.kind === 'call' ? transfer.reference : transfer.depositAddress
  const money = () => ({ ...key, kind, source, tokenAddress, amount, payer: readPayer(transfer), block })

  const target =
    transfer.kind === 'call'
      ? known.byReference.get(transfer.reference)
      : known.byDeposit.get(transfer.depositAddress)
  if (transfer.kind === 'call' && target?.splitAddress !== transfer.splitAddress) {
    const merchant = known.splitOwners.get(transfer.splitAddress)
    if (!merchant) return { kind: 'none', because: target ? 'forged' : 'not ours' }
    return {
      kind: 'unmatched',
      unmatchedLog: { ...money(), merchant, target: undefined, reason: 'unknown-reference' },
    }
  }
  if (!target) return { kind: 'none', because: 'not ours' }
  if (isLostReceipt(target.receiptId)) {
    const reason = transfer.kind === 'call' ? 'unknown-reference' : 'unknown-deposit'
    return { kind: 'unmatched', unmatchedLog: { ...money(), merchant: target.merchant, target, reason } }
  }
  if (target.tokenAddress !== tokenAddress)
    return {
      kind: 'unmatched',
      unmatchedLog: { ...money(), merchant: target.merchant, target, reason: 'wrong-token' },
    }
  return { kind: 'finding', finding: { ...money(), merchant: target.merchant, target } }
}
