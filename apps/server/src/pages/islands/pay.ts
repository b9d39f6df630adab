import { formatUnits } from '@sluice/protocol/money.ts'
import type { IslandCall, IslandOffer } from '../live/island-data.ts'
import { chainName } from './chain-names.ts'
import { type Provider, readFault, readHex, writeHex } from './provider.ts'
import type { Slots } from './stage.ts'

/** How a try to pay ended, as the step to show. `sent` alone means that money is on its way. */
export type Ending = { readonly step: string; readonly slots?: Slots }

/** A payment by one wallet. */
export type Payment = {
  readonly provider: Provider
  readonly offer: IslandOffer
  show(step: string, slots?: Slots): void
  /** False once the buyer moved on: nothing more is asked of the wallet. */
  isWanted(): boolean
}

const receiptPauseMs = 1_000
/** Gas kept for each call when judging whether the fee can be paid; more than any of ours takes. */
const gasPerCall = 80_000n

/** Connects, checks network and balance, then sends the offer's calls one after another, each once. */
export async function pay(payment: Payment): Promise<Ending | undefined> {
  const { offer, provider } = payment
  const request = ask(payment)
  try {
    payment.show('connecting')
    const accounts = (await request('eth_requestAccounts')) as readonly string[]
    const payer = accounts[0]
    if (!payer) return { step: 'rejected' }
    const elsewhere = await findWrongChain(payment)
    if (elsewhere) return elsewhere
    const lack = await findLack(payment, payer)
    if (lack) return lack

    for (const call of await callsOf(payment, payer)) {
      const moved = await findWrongChain(payment)
      if (moved) return moved
      const isApproval = call.kind === 'approve'
      payment.show(isApproval ? 'approve' : 'confirm', {
        amount: amountText(offer.token, BigInt(offer.amount)),
      })
      const { to, data, value } = call
      const transaction = {
        from: payer,
        to,
        value,
        chainId: writeHex(offer.chain.id),
        ...(data === '0x' ? {} : { data }),
      }
      const hash = String(await provider.request({ method: 'eth_sendTransaction', params: [transaction] }))
      if (!isApproval) return { step: 'sent', slots: { hash } }
      payment.show('approving', { hash })
      if (!(await isMinedWell(provider, hash, payment.isWanted))) return { step: 'reverted', slots: { hash } }
    }
    return undefined
  } catch (error) {
    if (error === unwanted) return undefined
    const fault = readFault(error)
    if (fault.kind === 'other') return { step: 'wallet-error', slots: { message: fault.message } }
    return { step: fault.kind === 'busy' ? 'busy' : 'rejected' }
  }
}

/** Asks the wallet to change to the offer's chain, adding it first where the wallet does not know it. */
export async function switchChain(provider: Provider, { chain }: IslandOffer): Promise<boolean> {
  const chainId = writeHex(chain.id)
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
    return true
  } catch (error) {
    if (readFault(error).kind !== 'unknown-chain' || !chain.rpcUrl) return false
  }
  const added = {
    chainId,
    chainName: chain.name,
    nativeCurrency: chain.coin,
    rpcUrls: [chain.rpcUrl],
    ...(chain.explorerUrl ? { blockExplorerUrls: [chain.explorerUrl] } : {}),
  }
  try {
    await provider.request({ method: 'wallet_addEthereumChain', params: [added] })
    return true
  } catch {
    return false
  }
}

/** Waits for a transaction's receipt through the wallet. False where the network undid it. */
export async function isMinedWell(
  provider: Provider,
  hash: string,
  isWanted: () => boolean,
): Promise<boolean> {
  for (;;) {
    const receipt = (await provider
      .request({ method: 'eth_getTransactionReceipt', params: [hash] })
      .catch(() => null)) as { status?: string } | null
    if (!isWanted()) throw unwanted
    if (receipt?.status) return BigInt(receipt.status) === 1n
    await new Promise((resolve) => setTimeout(resolve, receiptPauseMs))
  }
}

const unwanted = new Error('the buyer moved on')

/** Requests that end the payment where it is no longer wanted when the answer comes. */
function ask({ provider, isWanted }: Payment) {
  return async (method: string, ...params: unknown[]): Promise<unknown> => {
    const answer = await provider.request({ method, params })
    if (!isWanted()) throw unwanted
    return answer
  }
}

async function findWrongChain(payment: Payment): Promise<Ending | undefined> {
  const { chain } = payment.offer
  const id = Number(readHex(await ask(payment)('eth_chainId')))
  if (id === chain.id) return undefined
  return { step: 'wrong-network', slots: { current: chainName(id), chainId: String(chain.id) } }
}

/** What the account is short of: the token, or the coin the network's fee is paid in. */
async function findLack(payment: Payment, payer: string): Promise<Ending | undefined> {
  const { offer } = payment
  const request = ask(payment)
  const need = BigInt(offer.amount)
  let coins: bigint
  let have: bigint
  let fee: bigint
  try {
    coins = readHex(await request('eth_getBalance', payer, 'latest'))
    const { address } = offer.token
    have = address ? await readToken(payment, `0x70a08231${word(payer)}`) : coins
    fee = readHex(await request('eth_gasPrice')) * gasPerCall * BigInt(offer.calls.length)
  } catch (error) {
    if (error === unwanted) throw error
    // A wallet that cannot read the chain judges the balance itself when it is asked to send.
    return undefined
  }
  if (have < need) {
    const slots = { have: amountText(offer.token, have), need: amountText(offer.token, need) }
    return {
      step: 'insufficient',
      slots: { ...slots, missing: amountText(offer.token, need - have), symbol: offer.token.symbol },
    }
  }
  const { coin } = offer.chain
  const needed = offer.token.address ? fee : need + fee
  if (coins >= needed) return undefined
  return {
    step: 'no-gas',
    slots: { have: amountText(coin, coins), need: amountText(coin, needed), coin: coin.symbol },
  }
}

/**
 * The calls for this payer. The server leaves out an allowance that stands already and mends one that is
 * in the way; where it cannot be asked, the calls of the page do.
 */
async function callsOf({ offer, isWanted }: Payment, payer: string): Promise<readonly IslandCall[]> {
  if (!offer.calls.some((call) => call.kind === 'approve')) return offer.calls
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
  return isSame ? fresh.calls : offer.calls
}

type FreshAttempt = {
  readonly attemptId: string
  readonly remaining: string
  readonly calls: readonly IslandCall[]
}

async function readToken(payment: Payment, data: string): Promise<bigint> {
  return readHex(await ask(payment)('eth_call', { to: payment.offer.token.address, data }, 'latest'))
}

/** An address as a 32-byte word of call data. */
function word(address: string): string {
  return address.slice(2).toLowerCase().padStart(64, '0')
}

function amountText(token: { readonly symbol: string; readonly decimals: number }, units: bigint): string {
  return `${formatUnits(units, token.decimals)} ${token.symbol}`
}
