import type { ClaimTypedData } from '@sluice/protocol/api/claims.ts'
import type { UnmatchedPayment } from '@sluice/protocol/api/receipts/refunds.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { findClaimable } from '../../../src/payments/claims/find-claimable.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { logInAs, newWallet } from '../api/sessions.ts'
import type { ChainOptions } from './chain-api.ts'
import { startPayments } from './payments.ts'

export type Signer = { readonly address: Wallet; readonly privateKey: Hex }

export type NamedPayment = { readonly transactionHash: Hex; readonly logIndex: number }

type SentProof = { readonly wallet: string; readonly nonce: string; readonly signature: string }

export async function startUnmatchedPayments(options: ChainOptions = {}) {
  const context = await startPayments(options)
  const { api, merchant } = context
  const logInOwner = () => logInAs(api, merchant.wallet, 'owner')
  let owner = await logInOwner()
  let count = 0
  const newId = () => `case-${++count}`
  async function list(query = ''): Promise<UnmatchedPayment[]> {
    const response = await api.call('GET', `/api/payments/unmatched${query}`, { session: owner })
    if (response.status !== 200) throw new Error(response.text)
    return response.body.payments
  }
  async function fromInbox(hash: string | null): Promise<UnmatchedPayment> {
    const payment = (await list('?state=all&limit=200')).find((each) => each.transactionHash === hash)
    if (!payment) throw new Error('it is in the inbox')
    return payment
  }
  async function newTarget(usd: number) {
    const id = newId()
    await context.newReceipt(id, usd)
    return id
  }
  return {
    ...context,
    get owner() {
      return owner
    },
    /** Logs the owner in again, at the time of the newest block. */
    async logIn() {
      await context.syncClock()
      owner = await logInOwner()
      return owner
    },
    newId,
    newTarget,
    list,
    fromInbox,
    decide: (id: string, body: unknown, by: object = { session: owner }) =>
      api.call('POST', `/api/payments/unmatched/${id}`, { body, ...by }),
    async paidTwice(usd: number) {
      const id = await newTarget(usd)
      const attempt = await context.attempt(id, 'USDC')
      const first = await context.payAndScan(attempt, 'transfer')
      const { hash } = await context.pay(attempt, 'transfer', BigInt(attempt.amount))
      await context.mineAndScan(6)
      return { id, attempt, credited: first.hash, payment: await fromInbox(hash) }
    },
    passClock: (ms: number) => api.clock.jumpTo(api.clock.now() + ms),
  }
}

export async function startRefunds() {
  const context = await startUnmatchedPayments()
  const payee = newWallet().wallet
  return Object.assign(context, {
    payee,
    refund: (body: object, by: object = { session: context.owner }) =>
      context.api.call('POST', '/api/receipts/refund', {
        body: { wallet: context.merchant.wallet, buyer: payee, ...body },
        ...by,
      }),
    async paid(usd: number, token: TokenSymbol = 'USDC', extra = 0n) {
      const id = context.newId()
      const attempt = await context.open(id, usd, token)
      await context.pay(attempt, 'transfer', BigInt(attempt.amount) + extra)
      await context.mineAndScan(6)
      if ((await context.status(id)) !== 'paid') throw new Error('what was paid is paid')
      await context.syncClock()
      return id
    },
    async sendBack(to: string, token: TokenSymbol, units: bigint, blocks = 6) {
      const { hash } = await context.transfer(context.tokenAddress(token), to as Hex, units)
      if (blocks > 0) await context.mine(blocks)
      return hash
    },
    async verify(ms = 2_000) {
      context.passClock(ms)
      await context.run(jobNames.verifyRefunds)
    },
  })
}

export async function startClaims() {
  const context = await startUnmatchedPayments()
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    context.api.call('POST', `/api/payments/claims${path}`, { body, headers })
  const find = (hash: string, host?: string) => findClaimable(context.needs, hash, host)
  async function challenge(payment: NamedPayment, { address }: Signer, more = {}): Promise<ClaimTypedData> {
    const { transactionHash, logIndex } = payment
    const response = await post('/challenge', { transactionHash, logIndex, wallet: address, ...more })
    if (response.status !== 200) throw new Error(response.text)
    return response.body.typedData
  }
  async function prove(payment: NamedPayment, signer: Signer): Promise<SentProof> {
    const typedData = await challenge(payment, signer)
    const signature = await signTyped(signer, typedData)
    return { wallet: signer.address, nonce: typedData.message.nonce, signature }
  }
  return Object.assign(context, {
    post,
    find,
    challenge,
    prove,
    /** Pays a receipt twice. Returns the second payment, which is in the inbox. */
    async lostPayment(usd = 10) {
      const { id: receiptId, credited, payment } = await context.paidTwice(usd)
      const transactionHash = payment.transactionHash as Hex
      const [claimable] = await find(transactionHash)
      if (!claimable) throw new Error('it can be claimed')
      return { transactionHash, logIndex: claimable.logIndex, credited, receiptId }
    },
    sendProof: ({ transactionHash, logIndex }: NamedPayment, proof: SentProof, headers = {}) =>
      post('', { transactionHash, logIndex, proof }, headers),
    async claim(payment: NamedPayment, signer: Signer, more: object = {}) {
      const { transactionHash, logIndex } = payment
      return post('', { transactionHash, logIndex, proof: await prove(payment, signer), ...more })
    },
    claimByWord({ transactionHash, logIndex }: NamedPayment, more: object = {}) {
      const contact = { refundAddress: newWallet().wallet, contact: 'buyer@example.com' }
      return post('', { transactionHash, logIndex, ...contact, ...more })
    },
  })
}

export function signTyped({ privateKey }: Signer, typedData: ClaimTypedData): Promise<Hex> {
  return privateKeyToAccount(privateKey).signTypedData(typedData as never)
}

export function newSigner(): Signer {
  const { wallet, privateKey } = newWallet()
  return { address: wallet, privateKey }
}
