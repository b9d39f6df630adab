import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { SignatureRequestView } from '@sluice/protocol/api/paying/signed-payments.ts'
import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { TypedDataDefinition } from 'viem'
import type { Hex } from '../../src/chain/chain.ts'
import { pullCall } from '../../src/payments/relaying/permit.ts'
import { permit2Call } from '../../src/payments/relaying/permit2.ts'
import { transferCall } from '../../src/payments/relaying/relay-call.ts'
import { transferData } from '../support/chain/chain-api.ts'
import { Caller } from './caller.ts'
import type { Signer } from './chain-people.ts'
import type { Draw } from './draw.ts'
import type { Replica } from './replica.ts'
import type { Sale, Seller } from './sale.ts'
import type { SignedPayments } from './signed-payment.ts'
import type { World } from './world.ts'

/** By EIP-3009, EIP-2612 and Permit2. */
const symbols = ['USDC', 'cbBTC', 'USDT'] as const

type Signed = {
  readonly payer: Signer
  readonly token: Wallet
  readonly deposit: Wallet
  readonly units: bigint
  readonly body: object
  /** The call that pays, whoever sends it. */
  readonly call: { readonly to: Wallet; readonly data: Hex }
}

/** A buyer without gas, who signs, and at times pays otherwise meanwhile. */
export class SigningBuyer {
  readonly #world: World
  readonly #relaying: SignedPayments
  readonly #seller: Seller
  readonly #sale: Sale
  readonly #caller: Caller
  #signed: Signed | undefined
  #isAccepted = false

  constructor(world: World, relaying: SignedPayments, seller: Seller, sale: Sale) {
    this.#world = world
    this.#relaying = relaying
    this.#seller = seller
    this.#sale = sale
    this.#caller = new Caller(world, `the signing buyer of ${sale.id}`)
  }

  async act(replica: Replica, draw: Draw): Promise<void> {
    if (!this.#sale.isCreated || this.#caller.isBusy) return
    const signed = this.#signed
    if (!signed) return this.#sign(replica, draw)
    const weights = this.#isAccepted
      ? { submit: 1, sign: 3, pay: 1, send: 1 }
      : { submit: 12, sign: 1, pay: 1, send: 0.5 }
    const step = draw.weighted(weights)
    if (step === 'submit') await this.#submit(replica, signed)
    else if (step === 'sign') await this.#sign(replica, draw)
    else if (step === 'pay') await this.#payOtherwise(signed)
    else await this.#send(signed)
  }

  /** Opens an attempt as a page does, and signs the message for it. */
  #sign(replica: Replica, draw: Draw): Promise<void> {
    const payer = draw.pick(this.#relaying.payers)
    const symbol = draw.pick(symbols)
    return this.#caller.run(replica, `asks what to sign for ${symbol}`, async (call) => {
      const opened = await call('POST', this.#path('attempts'), { body: { token: symbol } })
      if (opened.status !== 201 || replica.isDead) return
      this.#sale.offer(opened.body)
      const body = { token: symbol, payer: payer.address }
      const asked = await call('POST', this.#path('signature-request'), { body })
      if (asked.status !== 201 || replica.isDead) return
      if (asked.body.attemptId !== opened.body.attemptId) return
      this.#signed = await this.#read(payer, opened.body, asked.body)
      this.#isAccepted = false
      const { token, deposit, units } = this.#signed
      this.#relaying.signed.push({ payer: payer.address, token, deposit, units })
      this.#world.say(`${this.#caller.name}: signs ${units} of ${symbol}`)
    })
  }

  /** Signs, as a wallet does that shows the message. */
  async #read(
    payer: Signer,
    { depositAddress, token: symbol }: AttemptView,
    { attemptId, typedData }: SignatureRequestView,
  ): Promise<Signed> {
    const { EIP712Domain: _, ...types } = typedData.types
    const { message } = typedData
    const signature = await payer.sign({ ...typedData, types } as unknown as TypedDataDefinition)
    const { contracts } = this.#world
    const token = contracts.tokens[symbol as (typeof symbols)[number]]
    const deposit = depositAddress as Wallet
    const body = { attemptId, authorization: message, payer: payer.address, signature }
    const signed = { payer, token, deposit, body }
    if ('value' in message && 'to' in message) {
      const { to, value, nonce, validAfter, validBefore } = message
      if (to !== deposit) throw new Error(`${this.#caller.name} is asked to pay ${to}, not ${deposit}`)
      const times = { validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) }
      const units = BigInt(value)
      const authorization = { from: payer.address, to: deposit, value: units, nonce: nonce as Hex, ...times }
      return { ...signed, units, call: { to: token, data: transferCall(authorization, signature) } }
    }
    const units = BigInt('permitted' in message ? message.permitted.amount : message.value)
    const amount = units as TokenUnits
    const validBefore = BigInt(message.deadline) + 1n
    const pull = { depositAddress: deposit, tokenAddress: token, amount, validBefore }
    const encode = 'permitted' in message ? permit2Call : pullCall
    const data = encode(pull, payer.address, signature)
    return { ...signed, units, call: { to: contracts.pullFactory, data } }
  }

  #submit(replica: Replica, { body }: Signed): Promise<void> {
    return this.#caller.ask(
      replica,
      'POST',
      this.#path('signatures'),
      { body },
      ({ status, body: shown }) => {
        if (status === 201) this.#isAccepted = true
        else if (status < 500) this.#signed = undefined
        this.#world.say(`${this.#caller.name}: the payment is ${shown.state ?? shown.reason}`)
      },
    )
  }

  /** Pays the same bill by a transfer. */
  async #payOtherwise({ payer, token, deposit, units }: Signed): Promise<void> {
    const transaction = await payer.send(token, { data: transferData(deposit, units) })
    if (!transaction) return
    const { sent } = this.#world
    if (!sent.some(({ transaction: { hash } }) => hash === transaction.hash))
      sent.push({ transaction, to: deposit, source: deposit, token, units })
    this.#world.say(`${this.#caller.name}: transfers ${units} in ${transaction.hash.slice(0, 10)}`)
  }

  /** Somebody copies the signature, and submits it without the service. */
  async #send({ call }: Signed): Promise<void> {
    const transaction = await this.#world.stranger.send(call.to, { data: call.data })
    this.#world.say(
      `${this.#caller.name}: a stranger submits the signature: ${transaction?.hash.slice(0, 10)}`,
    )
  }

  #path(what: string): string {
    return `/api/checkout/${this.#sale.id}/${what}?recipient=${this.#seller.wallet}`
  }
}
