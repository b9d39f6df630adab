import type { ClaimTypedData } from '@sluice/protocol/api/claims.ts'
import type { UnmatchedPayment } from '@sluice/protocol/api/receipts/refunds.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type ClaimablePayment, findClaimable } from '../../../src/payments/claims/find-claimable.ts'
import type { Answer } from '../api/call-api.ts'
import { logInAs, newWallet, type TestSession } from '../api/sessions.ts'
import { type PaymentContext, startPayments } from './payments.ts'

/** Somebody with a key. */
export type Signer = { readonly address: Wallet; readonly privateKey: Hex }

/** A payment as a buyer names it. */
export type NamedPayment = { readonly transactionHash: Hex; readonly logIndex: number }

/** A signature that is to prove something. */
export type SentProof = { readonly wallet: string; readonly nonce: string; readonly signature: string }

/** A payment world with buyers who look for money that reached no receipt. */
export type ClaimContext = {
  readonly world: PaymentContext
  /** Logs the owner in anew, at the time of the chain's newest block. */
  begin(): Promise<void>
  readonly owner: () => TestSession
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  find(hash: string, host?: string): Promise<ClaimablePayment[]>
  fromInbox(hash: Hex): Promise<UnmatchedPayment>
  decide(id: string, body: object): Promise<Answer>
  /** A second payment of a receipt, which reached the merchant and no receipt. */
  lostPayment(usd?: number): Promise<NamedPayment & { readonly credited: Hex; readonly receiptId: string }>
  challenge(payment: NamedPayment, signer: Signer, more?: object): Promise<ClaimTypedData>
  /** The proof of a wallet for the payment it asks about. */
  prove(payment: NamedPayment, signer: Signer): Promise<SentProof>
  send(payment: NamedPayment, proof: SentProof, headers?: Record<string, string>): Promise<Answer>
  /** Claims with a signature. */
  claim(payment: NamedPayment, signer: Signer, more?: object): Promise<Answer>
  /** Claims on somebody's word. */
  claimByWord(payment: NamedPayment, more?: object): Promise<Answer>
  newId(): string
}

/** Signs as a wallet does. */
export function signTyped({ privateKey }: Signer, typedData: ClaimTypedData): Promise<Hex> {
  return privateKeyToAccount(privateKey).signTypedData(typedData as never)
}

/** Somebody who paid nothing. */
export function newSigner(): Signer {
  const { wallet, privateKey } = newWallet()
  return { address: wallet, privateKey }
}

/** Starts it. */
export async function startClaims(): Promise<ClaimContext> {
  const world = await startPayments()
  let owner: TestSession | undefined
  let count = 0
  const session = () => {
    if (!owner) throw new Error('begin first')
    return owner
  }
  const made: ClaimContext = {
    world,
    owner: session,
    newId: () => `claim-${++count}`,
    async begin() {
      await world.syncClock()
      owner = await logInAs(world.api, world.merchant.wallet, 'owner')
    },
    post: (path, body, headers = {}) =>
      world.api.call('POST', `/api/payments/claims${path}`, { body, headers }),
    find: (hash, host) => findClaimable(world.needs, hash, host),
    async fromInbox(hash) {
      const path = '/api/payments/unmatched?state=all&limit=200'
      const { body } = await world.api.call('GET', path, { session: session() })
      const found = body.payments.find((each: UnmatchedPayment) => each.transactionHash === hash)
      if (!found) throw new Error('it is in the inbox')
      return found
    },
    decide: (id, body) =>
      world.api.call('POST', `/api/payments/unmatched/${id}`, { body, session: session() }),
    async lostPayment(usd = 10) {
      const receiptId = made.newId()
      await world.newReceipt(receiptId, usd)
      const attempt = await world.attempt(receiptId, 'USDC')
      const first = await world.pay(attempt, 'transfer')
      await world.mine()
      await world.scan()
      const { hash } = await world.pay(attempt, 'transfer', BigInt(attempt.amount))
      await world.mine(6)
      await world.scan()
      const [payment] = await made.find(hash)
      if (!payment) throw new Error('it can be claimed')
      return { transactionHash: hash, logIndex: payment.logIndex, credited: first.hash, receiptId }
    },
    async challenge({ transactionHash, logIndex }, signer, more = {}) {
      const asked = { transactionHash, logIndex, wallet: signer.address, ...more }
      const answer = await made.post('/challenge', asked)
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.body.typedData
    },
    async prove(payment, signer) {
      const typedData = await made.challenge(payment, signer)
      const signature = await signTyped(signer, typedData)
      return { wallet: signer.address, nonce: typedData.message.nonce, signature }
    },
    send: ({ transactionHash, logIndex }, proof, headers = {}) =>
      made.post('', { transactionHash, logIndex, proof }, headers),
    async claim(payment, signer, more = {}) {
      const { transactionHash, logIndex } = payment
      return made.post('', { transactionHash, logIndex, proof: await made.prove(payment, signer), ...more })
    },
    claimByWord: ({ transactionHash, logIndex }, more = {}) =>
      made.post('', {
        transactionHash,
        logIndex,
        refundAddress: newWallet().wallet,
        contact: 'buyer@example.com',
        ...more,
      }),
  }
  return made
}
