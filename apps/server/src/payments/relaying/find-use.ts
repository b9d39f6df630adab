import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi, hexToBigInt, pad, toEventSelector } from 'viem'
import type { CallOutcome, Chain, ChainLog, Hex, TransactionReceipt } from '../../chain/chain.ts'
import type { RelayError, RelayedPayment } from './authorization.ts'
import { permitAbi, pullerAddress } from './permit.ts'
import { askApproved, askNonce, isNonceUsed } from './permit2.ts'
import { authorizationAbi, relayOrder } from './relay-call.ts'
import type { Submitter } from './relayer.ts'

export type RelayUse =
  | { readonly kind: 'paid'; readonly txHash: Hex; readonly txBlock: bigint }
  | { readonly kind: 'elsewhere' }

type Call = { readonly to: Wallet; readonly data: Hex }

const used = toEventSelector('AuthorizationUsed(address,bytes32)')
const cancelled = toEventSelector('AuthorizationCanceled(address,bytes32)')
const transferred = toEventSelector('Transfer(address,address,uint256)')

/**
 * Returns the result of each payment whose nonce is used, regardless of the submitter.
 *
 * Uses that the endpoint does not know yet are omitted.
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
    relays.map((relay) => ({
      from: relay.openedBlock,
      to: latest > relay.openedBlock ? latest : relay.openedBlock,
      addresses: [relay.tokenAddress],
      topics: topicsOf(relay),
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

/** Nonces of EIP-2612 and Permit2 emit no event, so the `Transfer` log identifies the payment. */
function topicsOf({ payer, nonce, depositAddress, way }: RelayedPayment) {
  const from = pad(payer.toLowerCase() as Hex)
  return way === 'authorization'
    ? [[used, cancelled], from, nonce]
    : [transferred, from, pad(depositAddress.toLowerCase() as Hex)]
}

function isUseOf(relay: RelayedPayment, log: ChainLog): boolean {
  if (relay.way !== 'authorization') return isPaymentOf(relay, log)
  const isOfPayer = log.topics[1] === pad(relay.payer.toLowerCase() as Hex)
  return log.address === relay.tokenAddress && isOfPayer && log.topics[2] === relay.nonce
}

/**
 * Reads which signatures have been used. A used permit counts as unused while its allowance suffices.
 *
 * @throws {ChainUnavailable}
 */
export async function readUsed(
  chain: Pick<Chain, 'callMany' | 'pullFactory'>,
  relays: readonly RelayedPayment[],
): Promise<boolean[]> {
  if (relays.length === 0) return []
  const asked = relays.map((relay) => useCalls(chain, relay))
  const responses = await chain.callMany(asked.flat())
  let at = 0
  return relays.map((relay, i) => {
    const [use, allowance] = responses.slice(at, at + (asked[i]?.length ?? 0)).map(readWord)
    at += asked[i]?.length ?? 0
    if (use === undefined) return false
    if (relay.way === 'permit2') return isNonceUsed(relay, use)
    if (use <= (relay.permitNonce ?? 0n)) return false
    return allowance === undefined || allowance < relay.amount
  })
}

function useCalls({ pullFactory }: Pick<Chain, 'pullFactory'>, relay: RelayedPayment): Call[] {
  const { tokenAddress: to, payer, nonce, way } = relay
  if (way === 'permit2') return [askNonce(relay, payer)]
  if (way === 'authorization') {
    const functionName = 'authorizationState'
    return [{ to, data: encodeFunctionData({ abi: authorizationAbi, functionName, args: [payer, nonce] }) }]
  }
  const nonces = encodeFunctionData({ abi: permitAbi, functionName: 'nonces', args: [payer] })
  if (!pullFactory) return [{ to, data: nonces }]
  const args = [payer, pullerAddress(pullFactory, relay)] as const
  const allowance = encodeFunctionData({ abi: permitAbi, functionName: 'allowance', args })
  return [
    { to, data: nonces },
    { to, data: allowance },
  ]
}

function readWord(response: CallOutcome): bigint | undefined {
  return response.ok && response.data.length === 66 ? hexToBigInt(response.data) : undefined
}

function hasPaid({ isSuccess, logs }: TransactionReceipt, relay: RelayedPayment): boolean {
  return isSuccess && logs.some((log) => isPaymentOf(relay, log))
}

function isPaymentOf(
  { tokenAddress, payer, depositAddress, amount }: RelayedPayment,
  { address, topics, data }: Pick<ChainLog, 'address' | 'topics' | 'data'>,
): boolean {
  return (
    address === tokenAddress &&
    topics[0] === transferred &&
    topics[1] === pad(payer.toLowerCase() as Hex) &&
    topics[2] === pad(depositAddress.toLowerCase() as Hex) &&
    data.length === 66 &&
    hexToBigInt(data) === amount
  )
}

/**
 * Simulates the submission. Returns `undefined` if the submission would succeed within the maximum fee.
 *
 * @throws {ChainUnavailable}
 */
export async function simulateRelay(
  chain: Chain,
  { sender, terms }: Pick<Submitter, 'sender' | 'terms'>,
  relay: RelayedPayment,
): Promise<RelayError | undefined> {
  const { to, data } = relayOrder(chain, relay, terms.maxFee)
  const [estimate, fees] = await Promise.all([
    chain.estimateGas({ from: sender.address, to, data }),
    chain.readFees(),
  ])
  if (!estimate.ok) return explainApiError(chain, relay)
  return estimate.gas * fees.maxFeePerGas > terms.maxFee ? 'gas_too_expensive' : undefined
}

export async function explainApiError(
  chain: Pick<Chain, 'callMany' | 'pullFactory'>,
  relay: RelayedPayment,
): Promise<RelayError> {
  const { tokenAddress: to, payer, amount, way } = relay
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [payer] })
  const approved = way === 'permit2' ? [askApproved(to, payer)] : []
  const [[isUsed], [balance, allowance]] = await Promise.all([
    readUsed(chain, [relay]),
    chain.callMany([{ to, data }, ...approved]),
  ])
  const isLess = (response: CallOutcome | undefined) =>
    response?.ok && response.data.length === 66 && hexToBigInt(response.data) < amount
  if (isUsed) return 'authorization_used'
  if (isLess(balance)) return 'insufficient_funds'
  return isLess(allowance) ? 'not_approved' : 'transfer_rejected'
}
