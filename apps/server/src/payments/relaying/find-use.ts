import { hexToBigInt, pad, toEventSelector } from 'viem'
import type { Chain, ChainLog, Hex, TransactionReceipt } from '../../chain/chain.ts'
import type { RelayedPayment } from './authorization.ts'

/** What a payer's nonce was used for on the chain. */
export type RelayUse =
  | { readonly kind: 'paid'; readonly txHash: Hex; readonly txBlock: bigint }
  /** Cancelled by its payer, or used for another transfer. */
  | { readonly kind: 'elsewhere' }

const used = toEventSelector('AuthorizationUsed(address,bytes32)')
const cancelled = toEventSelector('AuthorizationCanceled(address,bytes32)')
const transferred = toEventSelector('Transfer(address,address,uint256)')

/**
 * What signed payments whose nonces are used did, by payment: whoever submitted them, the money is at the deposit
 * address or it is not. What the endpoint does not know yet is left out.
 *
 * @throws {ChainUnavailable}
 */
export async function findUses(
  chain: Pick<Chain, 'readLogsOfAll' | 'findReceipts'>,
  relays: readonly RelayedPayment[],
  latest: bigint,
): Promise<Map<RelayedPayment, RelayUse>> {
  const uses = new Map<RelayedPayment, RelayUse>()
  if (relays.length === 0) return uses
  const logs = await chain.readLogsOfAll(
    relays.map(({ tokenAddress, payer, nonce, openedBlock }) => ({
      from: openedBlock,
      to: latest > openedBlock ? latest : openedBlock,
      addresses: [tokenAddress],
      topics: [[used, cancelled], pad(payer.toLowerCase() as Hex), nonce],
    })),
  )
  const found = relays.flatMap((relay) => {
    const log = logs.find((each) => isUseOf(relay, each))
    return log ? [{ relay, log }] : []
  })
  const receipts = await chain.findReceipts(found.map(({ log }) => log.transactionHash))
  for (const [i, { relay, log }] of found.entries()) {
    const receipt = receipts[i]
    if (!receipt || receipt.blockHash !== log.blockHash) continue
    const { transactionHash: txHash, blockNumber: txBlock } = log
    uses.set(relay, hasPaid(receipt, relay) ? { kind: 'paid', txHash, txBlock } : { kind: 'elsewhere' })
  }
  return uses
}

function isUseOf({ tokenAddress, payer, nonce }: RelayedPayment, log: ChainLog): boolean {
  const isOfPayer = log.topics[1] === pad(payer.toLowerCase() as Hex)
  return log.address === tokenAddress && isOfPayer && log.topics[2] === nonce
}

function hasPaid(
  { isSuccess, logs }: TransactionReceipt,
  { tokenAddress, payer, depositAddress, amount }: RelayedPayment,
): boolean {
  return (
    isSuccess &&
    logs.some(
      ({ address, topics, data }) =>
        address === tokenAddress &&
        topics[0] === transferred &&
        topics[1] === pad(payer.toLowerCase() as Hex) &&
        topics[2] === pad(depositAddress.toLowerCase() as Hex) &&
        data.length === 66 &&
        hexToBigInt(data) === amount,
    )
  )
}
