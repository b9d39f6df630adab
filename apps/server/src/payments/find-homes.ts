import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Database } from '../platform/database.ts'
import type { Finding } from './match-transfer.ts'
import type { PaymentKey } from './payment.ts'

/**
 * Sends findings home: money that somebody applied to another receipt since it was first seen is that
 * receipt's, whichever address it reached. It is known by its key, like everything on the chain.
 */
export async function findHomes(
  tx: Database,
  chain: number,
  findings: readonly Finding[],
): Promise<Finding[]> {
  if (findings.length === 0) return []
  const rows = await tx.rows<HomeRow>(find, [
    chain,
    findings.map(({ target }) => target.merchant),
    findings.map(({ txHash }) => txHash),
    findings.map(({ logIndex }) => logIndex),
    findings.map(({ address }) => address),
  ])
  const homes = new Map(
    rows.map((row) => [
      `${row.merchant} ${keyOf({ txHash: row.tx_hash, logIndex: Number(row.log_index), address: row.address } as PaymentKey)}`,
      { receiptId: row.receipt_id as ReceiptId, attemptId: row.attempt_id },
    ]),
  )
  return findings.map((finding) => {
    const home = homes.get(`${finding.target.merchant} ${keyOf(finding)}`)
    return home ? { ...finding, target: { ...finding.target, ...home } } : finding
  })
}

function keyOf({ txHash, logIndex, address }: PaymentKey): string {
  return `${txHash}/${logIndex}/${address}`
}

type HomeRow = {
  merchant: string
  tx_hash: string
  log_index: bigint
  address: string
  receipt_id: string
  attempt_id: string
}

const find = {
  name: 'find-homes-of-payments',
  text: `SELECT payment.merchant, payment.tx_hash, payment.log_index, payment.address, payment.receipt_id,
      payment.attempt_id
    FROM unnest($2::text[], $3::text[], $4::int8[], $5::text[]) AS found (merchant, tx_hash, log_index, address)
    JOIN payment ON payment.merchant = found.merchant AND payment.chain = $1
      AND payment.tx_hash = found.tx_hash AND payment.log_index = found.log_index
      AND payment.address = found.address`,
}
