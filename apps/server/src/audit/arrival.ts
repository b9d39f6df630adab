import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../chain/chain.ts'
import { type Account, sum } from './account.ts'
import type { Movement } from './read-movements.ts'

/**
 * Money that came to an account from outside: `token` to a deposit address; to a split `called` under a reference,
 * `swept` from a deposit address that is nobody's, `plain` under none, or `forced` where no log of its block tells of
 * it. Then `txHash` is the hash of the block.
 */
export type ArrivedAmount = {
  readonly account: Account
  /** Whose deposit address or reference it came by; absent where that is no receipt's. */
  readonly receiptId: string | undefined
  readonly how: 'token' | 'called' | 'swept' | 'plain' | 'forced'
  readonly amount: bigint
  readonly txHash: Hex
  readonly blockNumber: bigint
}

/** Whose the references and the deposit addresses are. */
export type Owners = {
  /** By split and reference. */
  readonly receipts: ReadonlyMap<string, string>
  isOurs(sweep: Movement): boolean
}

/**
 * What came to an account from outside, as its movements tell it. Coin at a deposit address leaves none.
 *
 * @param movements - Those to the account, in any order.
 */
export function listArrived(
  owners: Owners,
  account: Account,
  movements: readonly Movement[],
): ArrivedAmount[] {
  const arrived: ArrivedAmount[] = []
  const transactions = new Map<Hex, Movement[]>()
  for (const each of movements)
    transactions.set(each.txHash, [...(transactions.get(each.txHash) ?? []), each])
  for (const [txHash, all] of transactions) {
    const of = (kind: Movement['kind']) => sum(all.filter((each) => each.kind === kind))
    const place = { account, txHash, blockNumber: all[0]?.blockNumber ?? 0n }
    const add = (how: ArrivedAmount['how'], amount: bigint, receiptId?: string) => {
      if (amount > 0n) arrived.push({ ...place, how, amount, receiptId })
    }
    if (account.kind === 'deposit') {
      add('token', of('token-in'), account.receiptId)
      continue
    }
    for (const each of all) {
      if (each.kind === 'called')
        add('called', each.amount, owners.receipts.get(`${account.owner} ${each.reference}`))
      if (each.kind === 'swept' && !owners.isOurs(each)) add('swept', each.amount)
    }
    // Coin that comes by a call is logged by the call alone; a token logs its transfer as well.
    const explained = account.token === nativeAddress ? of('swept') : of('swept') + of('called')
    add('plain', of('token-in') + of('coin-in') - explained)
  }
  return arrived
}

/** By whose account and token movements went. */
export function keyOf({ owner, token }: { owner: Wallet; token: Wallet }): string {
  return `${owner} ${token}`
}
