import type { AuditOutcome } from '@sluice/server/src/audit/audit-money.ts'
import { describeDifferences } from '@sluice/server/src/audit/audit-money.ts'
import { describeArrived, describeBooked } from '@sluice/server/src/audit/compare-ledger.ts'
import type { Output } from '../../../../packages/cli/src/output.ts'

const amounts = [
  ...(['atDeposits', 'direct', 'heldByDeposits', 'swept', 'heldBySplit', 'released'] as const),
  ...(['credited', 'seen', 'unmatched', 'refunded'] as const),
]
const heads = [
  ...['to deposits', 'to split', 'in deposits', 'swept', 'in split', 'released'],
  ...['credited', 'seen', 'unmatched', 'refunded'],
]

export function showOutcome(out: Output, outcome: AuditOutcome): void {
  const { chain, block, latest, lines, differences, unread, above } = outcome
  out.table(
    ['merchant', 'split', 'token', ...heads],
    lines.map((line) => [
      line.merchant,
      line.split ?? '-',
      line.token,
      ...amounts.map((name) => line[name].toString()),
    ]),
    'No payments have arrived yet.',
  )
  out.line()
  out.line(`Chain ${chain} as of block ${block}; the newest is ${latest}. Amounts are base units.`)
  for (const each of unread)
    out.line(`In flight: ${describeArrived(each)} in block ${each.blockNumber} (${each.txHash})`)
  for (const each of above)
    out.line(`Above: ${describeBooked(each)} in block ${each.blockNumber} (${each.txHash})`)
  for (const line of describeDifferences(differences)) out.line(out.paint('bad', line))
  const verdict =
    differences.length === 0
      ? out.paint('good', 'Chain and ledger match to the base unit.')
      : `Chain and ledger differ for ${differences.length} of merchant and token.`
  out.line(verdict)
}

/** Returns the outcome as JSON. Amounts and blocks are strings, because JSON numbers lose precision. */
export function writeOutcome({ chain, block, latest, ...outcome }: AuditOutcome): unknown {
  const inFlight = outcome.unread.map((each) => ({
    merchant: each.account.merchant,
    token: each.account.token,
    amount: each.amount.toString(),
    transaction: each.txHash,
    block: each.blockNumber.toString(),
  }))
  const above = outcome.above.map((each) => ({
    merchant: each.merchant,
    token: each.token,
    place: each.place,
    subject: each.subject,
    amount: each.amount.toString(),
    transaction: each.txHash,
    block: each.blockNumber.toString(),
  }))
  return {
    ok: outcome.differences.length === 0,
    chain,
    block: block.toString(),
    latest: latest.toString(),
    lines: outcome.lines.map((line) => ({
      merchant: line.merchant,
      split: line.split ?? null,
      token: line.token,
      ...Object.fromEntries(amounts.map((name) => [name, line[name].toString()])),
    })),
    differences: outcome.differences.map(({ merchant, token, chain: onChain, ledger, transactions }) => ({
      merchant,
      token,
      chain: onChain.toString(),
      ledger: ledger.toString(),
      transactions: transactions.map((each) => ({
        hash: each.hash,
        block: each.blockNumber.toString(),
        chain: each.chain.toString(),
        ledger: each.ledger.toString(),
        where: each.where,
      })),
    })),
    inFlight,
    above,
  }
}
