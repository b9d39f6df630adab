import type { Wallet } from '@sluice/protocol/wallet.ts'
import { hashTypedData, type TypedDataDefinition } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../../src/chain/chain.ts'
import { type ChainModel, readTransaction, type Transaction } from './chain-model.ts'
import { signatureKey } from './signing-model.ts'

/** An account that signs its own transactions: a buyer, a merchant or a stranger. */
export class Signer {
  readonly address: Wallet
  readonly #account: PrivateKeyAccount
  readonly #model: ChainModel

  constructor(model: ChainModel, privateKey: Hex) {
    this.#model = model
    this.#account = privateKeyToAccount(privateKey)
    this.address = this.#account.address as Wallet
  }

  /** Signs and sends. Returns `undefined` if the mempool refuses. */
  async send(
    to: Wallet,
    { data = '0x', value = 0n, nonce }: { data?: Hex; value?: bigint; nonce?: bigint },
  ): Promise<Transaction | undefined> {
    const raw = await this.#account.signTransaction({
      chainId: this.#model.options.chainId,
      type: 'eip1559',
      nonce: Number(nonce ?? this.#model.pendingNonce(this.address)),
      gas: 500_000n,
      maxFeePerGas: 2_000n * 10n ** 9n,
      maxPriorityFeePerGas: 1_000_000n,
      ...{ to, data, value },
    })
    const transaction = await readTransaction(raw, this.address)
    return this.#model.send(transaction) === undefined ? transaction : undefined
  }

  sign(data: TypedDataDefinition): Promise<Hex> {
    return signTyped(this.#model, this.#account, data)
  }
}

/** Signs a message, and lets the contracts of the model know the signature. */
export async function signTyped(
  model: ChainModel,
  account: PrivateKeyAccount,
  data: TypedDataDefinition,
): Promise<Hex> {
  const signature = await account.signTypedData(data)
  const { signatures } = model.options.contracts
  signatures.set(signatureKey(hashTypedData(data), signature), account.address as Wallet)
  return signature
}
