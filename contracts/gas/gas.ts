// SPDX-License-Identifier: Apache-2.0
/**
 * Measures the gas costs of the contracts on a local chain, prints them next to the limits, and exits with
 * code 1 if any exceeds its limit.
 *
 * Figures are the `gasUsed` of transaction receipts, including the base cost of 21,000. Recipients already
 * hold ETH and the token. "first" is a split's first distribution of a token; "steady" is every later one.
 */
import { startAnvil } from './anvil.ts'
import { openBench } from './bench.ts'
import { measure } from './measure.ts'
import { relayGas } from './relay-gas.ts'

/** Gas limit of each operation: the gas measured when this list was last updated, plus 1%. */
const marks: Record<string, number> = {
  'deploy split, 2': 90_296,
  'deploy split again, 2': 28_776,
  'deploy split in ascending order, 2': 90_296,
  'distribute ETH first, 2': 70_432,
  'distribute ERC-20 first, 2': 75_926,
  'distribute ETH steady, 2': 53_161,
  'distribute ERC-20 steady, 2': 58_655,
  'payment and distribution, ERC-20 that shares evenly, 2': 92_992,
  'payment and distribution, ERC-20 that leaves dust, 2': 92_989,
  'payment and distribution, ETH, 2': 75_688,
  'release ETH to one first, 2': 65_909,
  'release ETH to one steady, 2': 48_650,
  'release ERC-20 to one first, 2': 74_241,
  'release ERC-20 to one steady, 2': 56_982,
  'deploy split, 10': 138_989,
  'deploy split again, 10': 41_839,
  'deploy split in ascending order, 10': 134_780,
  'distribute ETH first, 10': 150_058,
  'distribute ERC-20 first, 10': 143_441,
  'distribute ETH steady, 10': 132_787,
  'distribute ERC-20 steady, 10': 126_170,
  'payment and distribution, ERC-20 that shares evenly, 10': 160_507,
  'payment and distribution, ERC-20 that leaves dust, 10': 160_516,
  'payment and distribution, ETH, 10': 155_314,
  'release ETH to one first, 10': 65_939,
  'release ETH to one steady, 10': 48_680,
  'release ERC-20 to one first, 10': 74_271,
  'release ERC-20 to one steady, 10': 57_012,
  'plain ETH': 22_527,
  'pay ETH': 27_058,
  payToken: 50_866,
  payWithAuthorization: 78_610,
  'sweep ERC-20 into an empty split': 101_569,
  'sweep ERC-20 again': 43_361,
  'sweepMany of 20 ERC-20, each': 54_284,
  'sweep ERC-20 into a split that holds some': 84_298,
  'sweep ETH into an empty split': 83_672,
  'sweep ETH again': 42_735,
  'sweepMany of 20 ETH, each': 58_263,
  'sweep ETH into a split that holds some': 83_672,
  'factory and implementations': 3_084_885,
  'pullWithPermit, first of an account': relayGas.permit,
  pullWithPermit: 119_730,
  pullWithPermit2: relayGas.permit2,
  transferWithAuthorization: relayGas.authorization,
  'pull factory and implementation': 742_636,
}

const anvil = await startAnvil()
try {
  const figures = await measure(await openBench(anvil.url))
  const rows = [...figures].map(([name, gas]) => ({ name, gas: Number(gas), mark: marks[name] }))
  console.log(line('operation', 'gas', 'mark', ''))
  for (const { name, gas, mark } of rows) {
    console.log(line(name, print(gas), print(mark), mark === undefined ? '' : gas > mark ? 'ABOVE' : 'ok'))
  }
  const missing = Object.keys(marks).filter((name) => !figures.has(name))
  const unmarked = rows.filter(({ mark }) => mark === undefined)
  // The estimates that the service uses must not be far too high either.
  const relayed = new Set<number>(Object.values(relayGas))
  const below = rows.filter(({ gas, mark }) => mark !== undefined && relayed.has(mark) && gas < 0.97 * mark)
  const above = rows.filter(({ gas, mark }) => mark !== undefined && gas > mark)
  for (const name of missing) console.error(`no figure for the mark of "${name}"`)
  for (const { name } of unmarked) console.error(`no mark for the figure of "${name}"`)
  for (const { name, gas, mark } of above) console.error(`${name}: ${print(gas)} is above ${print(mark)}`)
  for (const { name, gas, mark } of below)
    console.error(`${name}: ${print(gas)} is far below ${print(mark)} of relay-gas.ts`)
  if (missing.length + unmarked.length + above.length + below.length > 0) process.exitCode = 1
} finally {
  anvil.stop()
}

function line(name: string, gas: string, mark: string, verdict: string): string {
  return `${name.padEnd(56)}${gas.padStart(11)}${mark.padStart(11)}  ${verdict}`.trimEnd()
}

function print(gas: number | undefined): string {
  return gas === undefined ? '' : gas.toLocaleString('en')
}
