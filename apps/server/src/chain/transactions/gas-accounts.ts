import type { Wallet } from '@sluice/protocol/wallet.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import { StateLog } from '../../platform/state-log.ts'
import type { Chain } from '../chain.ts'

/** Balance, in wei, below which an account is low: enough for about 100 transactions on Base. */
export const lowGasWei = 1_000_000_000_000_000n

export type GasAccount = { readonly role: string; readonly address: Wallet }

/** Balances of the accounts that pay for gas, read every minute. Reports low balances once. */
export class GasAccounts {
  readonly #needs: { chain: Pick<Chain, 'readBalances'>; log: Log }
  readonly #accounts: readonly GasAccount[]
  readonly #states: StateLog
  #balances: readonly { readonly role: string; readonly balance: bigint }[] = []

  constructor(needs: { chain: Pick<Chain, 'readBalances'>; log: Log }, accounts: readonly GasAccount[]) {
    this.#needs = needs
    this.#accounts = accounts
    this.#states = new StateLog(needs.log)
  }

  get balances(): readonly { readonly role: string; readonly balance: bigint }[] {
    return this.#balances
  }

  makeJob(): Job {
    return {
      name: jobNames.readGasBalances,
      everyMs: 60_000,
      run: async () => {
        const addresses = this.#accounts.map(({ address }) => address)
        const found = await this.#needs.chain.readBalances(addresses, 'latest')
        this.#balances = this.#accounts.map(({ role }, i) => ({ role, balance: found[i] ?? 0n }))
        for (const [i, account] of this.#accounts.entries()) this.#report(account, found[i] ?? 0n)
        return 'done'
      },
    }
  }

  #report({ role, address }: GasAccount, balance: bigint): void {
    if (balance >= lowGasWei) {
      this.#states.end(role, 'an account has enough gas again', { role })
      return
    }
    const fields = { alert: 'gas-low', role, address, balance: String(balance) }
    this.#states.say(role, 'low', 'warn', fields, 'an account is low on gas')
  }
}
