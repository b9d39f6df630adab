import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import { makeLog } from '../../platform/log.ts'
import { GasAccounts, lowGasWei } from './gas-accounts.ts'

test('an account that runs low is reported once, and once more when it has gas money again', async () => {
  const lines: string[] = []
  const log = makeLog('info', { write: (line: string) => void lines.push(line) })
  let keeper = lowGasWei
  const chain = { readBalances: async () => [5n * lowGasWei, keeper] }
  const accounts = new GasAccounts({ chain, log }, [
    { role: 'deployer', address: '0x1' as Wallet },
    { role: 'keeper', address: '0x2' as Wallet },
  ])
  const job = accounts.makeJob()
  const signal = new AbortController().signal
  expect(accounts.balances).toEqual([])
  for (const balance of [lowGasWei, lowGasWei - 1n, 0n, lowGasWei]) {
    keeper = balance
    await job.run(signal)
    expect(accounts.balances).toEqual([
      { role: 'deployer', balance: 5n * lowGasWei },
      { role: 'keeper', balance },
    ])
  }
  const said = lines.map((line) => JSON.parse(line)).map(({ alert, role, msg }) => [alert, role, msg])
  expect(said).toEqual([
    ['gas-low', 'keeper', 'an account is low on gas'],
    [undefined, 'keeper', 'an account has enough gas again'],
  ])
})
