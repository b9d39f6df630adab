// SPDX-License-Identifier: Apache-2.0
/**
 * Measures what the contracts cost on a local chain, prints it beside the marks, and exits 1 above any mark.
 *
 * Figures are `gasUsed` of receipts, the base of 21,000 included. Recipients already hold ETH and the token.
 * "first" is a split's first distribution of a token; "steady" is every later one.
 */
import { startAnvil } from './anvil.ts'
import { openBench } from './bench.ts'
import { measure } from './measure.ts'

/** Most gas each operation may take. */
const marks: Record<string, number> = {
  'deploy split, 2': 93_900,
  'deploy split, 10': 159_800,
  'pay ETH': 27_300,
  'distribute ETH steady, 2': 55_600,
  'distribute ETH steady, 10': 150_200,
  'distribute ERC-20 steady, 2': 62_200,
  'distribute ERC-20 steady, 10': 144_200,
  'sweepMany of 20 ERC-20, each': 54_000,
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
  const above = rows.filter(({ gas, mark }) => mark !== undefined && gas > mark)
  for (const name of missing) console.error(`no figure for the mark of "${name}"`)
  for (const { name, gas, mark } of above) console.error(`${name}: ${print(gas)} is above ${print(mark)}`)
  if (missing.length + above.length > 0) process.exitCode = 1
} finally {
  anvil.stop()
}

function line(name: string, gas: string, mark: string, verdict: string): string {
  return `${name.padEnd(44)}${gas.padStart(11)}${mark.padStart(11)}  ${verdict}`.trimEnd()
}

function print(gas: number | undefined): string {
  return gas === undefined ? '' : gas.toLocaleString('en')
}
