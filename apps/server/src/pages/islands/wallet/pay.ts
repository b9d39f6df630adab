import { readError } from '@sluice/browser-wallet/read-error.ts'
import type { IslandCall, IslandOffer } from '../../live/island-data.ts'
import { sendBatch, sendsBatches } from './batch.ts'
import { type Fate, followTransaction } from './follow-transaction.ts'
import {
  amountText,
  ask,
  type Ending,
  type Payment,
  pauseBeforeLook,
  read,
  readHex,
  type Slots,
  tryRead,
  unwanted,
  word,
  writeHex,
} from './payment.ts'
import { permitCall } from './permit.ts'
import { findWrongChain } from './switch-chain.ts'

/**
 * Connects, checks network and balance, then requests the payment.
 *
 * Uses one call, a batch, a permit and a call, or an approval and a call. Each transaction is sent once.
 */
export async function pay(payment: Payment): Promise<Ending | undefined> {
  try {
    payment.show('connecting')
    const accounts = (await ask(payment, 'eth_requestAccounts')) as readonly string[]
    const payer = accounts[0]
    if (!payer) return { step: 'rejected' }
    payment.report('buyer_logged_in')
    const wrong = await findWrongChain(payment)
    if (wrong) return wrong
    const signing = payment.way === 'own-fee' ? undefined : await loadSigning(payment)
    if (signing && payment.way === 'sign') {
      payment.report('checkout_initialized')
      return await signing.signPayment(payment, payer)
    }
    if (await signing?.canSign(payment, payer)) return { step: 'one-signature', slots: amountOf(payment) }
    const lack = await findLack(payment, payer)
    if (lack) return lack
    payment.report('checkout_initialized')
    return await payFrom(payment, payer)
  } catch (error) {
    // The dynamically loaded module has its own `unwanted` object.
    if (error === unwanted || !payment.isWanted()) return undefined
    return endingOf(error)
  }
}

/** Returns the signing script, or `undefined` if it does not load: the buyer then pays by transaction. */
async function loadSigning({ offer: { signing } }: Payment): Promise<Signing | undefined> {
  return signing ? ((await import(signing.script).catch(() => undefined)) as Signing | undefined) : undefined
}

type Signing = typeof import('./sign-payment.ts')

async function payFrom(payment: Payment, payer: string): Promise<Ending | undefined> {
  const calls = await callsOf(payment, payer)
  const last = calls.at(-1)
  if (!last) return undefined
  if (calls.length === 1) return send(payment, payer, last)
  if (await sendsBatches(payment, payer)) {
    await beforeAsking(payment, payer, 'confirm')
    const batch = await sendBatch(payment, payer, calls)
    if (batch !== undefined) return { step: 'sent', sent: { batch, payer, call: last } }
    if (!payment.isWanted()) return undefined
  }
  const permitted = await permitCall(payment, payer)
  return permitted ? send(payment, payer, permitted) : payInTurn(payment, payer, calls)
}

/** Sends each call after the previous one is mined. */
async function payInTurn(
  payment: Payment,
  payer: string,
  calls: readonly IslandCall[],
): Promise<Ending | undefined> {
  for (const call of calls) {
    const moved = await findWrongChain(payment)
    if (moved) return moved
    if (call.kind !== 'approve') return send(payment, payer, call)
    await beforeAsking(payment, payer, 'approve')
    const hash = await sendTransaction(payment, payer, call)
    payment.show('approving', { hash })
    const fate = await awaitApproval(payment, payer, call, hash)
    if (fate === 'reverted' || fate === 'dropped') return { step: fate, slots: { hash } }
  }
  return undefined
}

async function awaitApproval(payment: Payment, payer: string, call: IslandCall, hash: string): Promise<Fate> {
  const known = await tryRead(payment, 'eth_getTransactionReceipt', hash)
  // The wallet's node cannot follow the transaction, so the service is polled for the allowance.
  if (known === undefined) return awaitAllowance(payment, payer)
  return followTransaction(
    payment,
    { hash, payer, call },
    { replaced: (other) => payment.show('approving', { hash: other }), stuck() {}, found() {} },
  )
}

/** Maximum number of polls. The service allows ten per minute. */
const allowanceLooks = 40

async function awaitAllowance(payment: Payment, payer: string): Promise<Fate> {
  for (let count = 0; count < allowanceLooks; count++) {
    await pauseBeforeLook(100)
    const calls = await askForCalls(payment, payer)
    if (calls?.every((call) => call.kind !== 'approve')) return 'mined'
  }
  return 'lost'
}

async function send(payment: Payment, payer: string, call: IslandCall): Promise<Ending> {
  await beforeAsking(payment, payer, 'confirm')
  const hash = await sendTransaction(payment, payer, call)
  return { step: 'sent', sent: { hash, payer, call } }
}

async function beforeAsking(payment: Payment, payer: string, step: string): Promise<void> {
  // Repeating an approval is harmless, and the next calls reflect an approval that was already sent.
  if (step === 'confirm') {
    const count = await tryRead(payment, 'eth_getTransactionCount', payer, 'pending')
    payment.onAsk(payer, count === undefined ? undefined : readHex(count))
  }
  payment.show(step, amountOf(payment))
}

function amountOf({ offer: { token, amount } }: Payment): Slots {
  return { amount: amountText(token, BigInt(amount)), symbol: token.symbol }
}

/** Returns the hash even if the buyer has left this step, because the money is in transit. */
async function sendTransaction(
  { provider, offer }: Payment,
  from: string,
  call: IslandCall,
): Promise<string> {
  const { to, data, value } = call
  const chainId = writeHex(offer.chain.id)
  const transaction = { from, to, value, chainId, ...(data === '0x' ? {} : { data }) }
  return String(await provider.request({ method: 'eth_sendTransaction', params: [transaction] }))
}

/**
 * Returns the calls for this payer. The server omits the approval if the allowance is sufficient, and resets
 * a conflicting allowance.
 *
 * Falls back to the page's calls if the server cannot be reached.
 */
async function callsOf(payment: Payment, payer: string): Promise<readonly IslandCall[]> {
  const { calls } = payment.offer
  if (!calls.some((call) => call.kind === 'approve')) return calls
  return (await askForCalls(payment, payer)) ?? calls
}

async function askForCalls(
  { offer, isWanted }: Payment,
  payer: string,
): Promise<readonly IslandCall[] | undefined> {
  const fresh = await fetch(offer.attemptsPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: offer.token.symbol, payer }),
    signal: AbortSignal.timeout(5_000),
  })
    .then((response) => (response.ok ? (response.json() as Promise<FreshAttempt>) : undefined))
    .catch(() => undefined)
  if (!isWanted()) throw unwanted
  const isSame = fresh?.attemptId === offer.attemptId && fresh.remaining === offer.amount
  return isSame ? fresh.calls : undefined
}

type FreshAttempt = Pick<IslandOffer, 'attemptId' | 'calls'> & { readonly remaining: string }

function endingOf(error: unknown): Ending {
  const { kind, message } = readError(error)
  if (kind === 'rejected' || kind === 'busy') return { step: kind }
  return { step: 'wallet-error', slots: { error: kind, message } }
}

/** Gas per call for the fee check; an upper bound for our calls. */
const gasPerCall = 80_000n
const balanceOf = '0x70a08231'

export async function findLack(payment: Payment, payer: string): Promise<Ending | undefined> {
  const { offer } = payment
  const { token } = offer
  const { coin } = offer.chain
  const need = BigInt(offer.amount)
  let coins: bigint
  let have: bigint
  let fee: bigint
  try {
    coins = readHex(await read(payment, 'eth_getBalance', payer, 'latest'))
    const call = { to: token.address, data: balanceOf + word(payer) }
    have = token.address ? readHex(await read(payment, 'eth_call', call, 'latest')) : coins
    fee = readHex(await read(payment, 'eth_gasPrice')) * gasPerCall * BigInt(offer.calls.length)
  } catch (error) {
    if (error === unwanted) throw error
    // A wallet that cannot read the chain checks the balance when it sends the transaction.
    return undefined
  }
  if (have < need) {
    const [haveText, needText, missing] = [have, need, need - have].map((units) => amountText(token, units))
    return {
      step: 'insufficient',
      slots: { have: haveText ?? '', need: needText ?? '', missing: missing ?? '', symbol: token.symbol },
    }
  }
  const needed = token.address ? fee : need + fee
  if (coins >= needed) return undefined
  return {
    step: 'no-gas',
    slots: { have: amountText(coin, coins), need: amountText(coin, needed), coin: coin.symbol },
  }
}
