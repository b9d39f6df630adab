import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../chain/chain.ts'
import { type Account, sum } from './account.ts'
import type { Movement } from './read-movements.ts'

/**
 * Money that reached an account from outside.
 *
 * `called` money has a reference, `swept` money came from an unknown deposit address, and `forced` money left
 * no log. For `forced`, `txHash` is the block hash.
 */
export type ArrivedAmount = {
  readonly account: Account
  readonly receiptId: string | undefined
  readonly how: 'token' | 'called' | 'swept' | 'plain' | 'forced'
  readonly amount: bigint
  readonly txHash: Hex
  readonly blockNumber: bigint
}

export type Owners = {
  readonly receipts: ReadonlyMap<string, string>
  isOurs(sweep: Movement): boolean
}

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
    // A native payment by call emits one log; a token payment also emits a transfer log.
    const explained = account.token === nativeAddress ? of('swept') : of('swept') + of('called')
    add('plain', of('token-in') + of('coin-in') - explained)
  }
  return arrived
}

export function keyOf({ owner, token }: { owner: Wallet; token: Wallet }): string {
  return `${owner} ${token}`
}
