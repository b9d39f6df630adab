import type { Difference } from './compare-ledger.ts'

/** The differences as lines for people: the sums, and below each what explains it. */
export function describeDifferences(differences: readonly Difference[]): string[] {
  return differences.flatMap(({ merchant, token, chain, books, transactions }) => [
    `merchant ${merchant}, token ${token}: ${chain} on the chain, ${books} in the ledger`,
    ...transactions.flatMap((each) => [
      `  ${each.hash} in block ${each.blockNumber}: ${each.chain} on the chain, ${each.books} in the ledger`,
      ...each.where.map((line) => `    ${line}`),
    ]),
  ])
}
