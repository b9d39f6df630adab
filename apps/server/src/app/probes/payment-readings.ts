import type { GasAccounts } from '../../chain/transactions/gas-accounts.ts'
import type { Relayer } from '../../payments/relaying/relayer.ts'
import type { Reading } from '../../platform/metrics.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'

/** The parts of payments that live in this process. */
export type PaymentParts = {
  /** Pays the gas of signed payments. */
  readonly relayer?: Pick<Relayer, 'lastState' | 'terms'> | undefined
  readonly rates?: Pick<RateBook, 'usability'>
  readonly gasAccounts?: Pick<GasAccounts, 'balances'>
}

/** Figures of the rates, of the accounts that pay for gas, and of the relayer. */
export function readPayments({ relayer, rates, gasAccounts }: PaymentParts): Reading[] {
  const usable = (rates?.usability ?? []).map(({ code, isUsable }) => ({
    name: 'sluice_rate_usable',
    help: 'Whether this process has a usable rate of a currency or token: 0 while the sources provide none',
    labels: { code },
    value: isUsable ? 1 : 0,
  }))
  const balances = (gasAccounts?.balances ?? []).map(({ role, balance }) => ({
    name: 'sluice_gas_balance',
    help: 'Balance of an account that pays for gas, in the native token',
    labels: { account: role },
    value: native(balance),
  }))
  return [...usable, ...balances, ...readRelayer(relayer)]
}

function native(units: bigint): number {
  return Number(units) / 1e18
}

function readRelayer(relayer: PaymentParts['relayer']): Reading[] {
  const state = relayer?.lastState
  if (!relayer || !state) return []
  return [
    {
      name: 'sluice_relayer_balance',
      help: 'What the account that pays the gas of signed payments holds, in the native token',
      value: native(state.balance),
    },
    {
      name: 'sluice_relayer_spent_day',
      help: 'What signed payments have cost in the last 24 hours, in the native token; what is not mined at its most',
      value: native(state.spent),
    },
    {
      name: 'sluice_relayer_daily_max',
      help: 'What signed payments may cost in 24 hours, in the native token',
      value: native(relayer.terms.dailyMax),
    },
    {
      name: 'sluice_relayer_ready',
      help: 'Whether signed payments are taken: 0 if the balance, the daily ceiling or the price of gas forbids it',
      value: state.fault ? 0 : 1,
    },
  ]
}
