import type { SignatureRequestView } from '@sluice/protocol/api/paying/signed-payments.ts'
import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { hexToBigInt } from 'viem'
import type { Chain } from '../../chain/chain.ts'
import {
  askApproved,
  askNonce,
  isNonceUsed,
  permit2Domain,
  permit2Message,
  permit2Types,
} from '../relaying/permit2.ts'
import { refuseSignature } from './refuse-signature.ts'
import type { PaymentToSign } from './typed-data.ts'

const domainFields = [
  { name: 'name', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/**
 * The message of Permit2: what is missing, by the pull factory, to the attempt's own deposit address. Only for a payer
 * whose approval of Permit2 is there already: that is the payer's own transaction, and costs gas.
 *
 * @throws {Refusal} as {@link refuseSignature}.
 * @throws {ChainUnavailable}
 */
export async function permit2Data(
  { chain }: { chain: Pick<Chain, 'id' | 'callMany' | 'pullFactory'> },
  { token, payer, attempt, end }: PaymentToSign,
): Promise<SignatureRequestView['typedData']> {
  if (!chain.pullFactory) throw refuseSignature('token_not_supported')
  const pull = {
    depositAddress: attempt.depositAddress as Wallet,
    tokenAddress: token,
    amount: BigInt(attempt.remaining) as TokenUnits,
    validBefore: BigInt(end) + 1n,
  }
  const answers = await chain.callMany([askApproved(token, payer), askNonce(pull, payer)])
  const [approved, word] = answers.map((each) =>
    each.ok && each.data.length === 66 ? hexToBigInt(each.data) : undefined,
  )
  if (approved === undefined || approved < pull.amount) throw refuseSignature('not_approved')
  if (word !== undefined && isNonceUsed(pull, word)) throw refuseSignature('authorization_used')
  const { permitted, spender, nonce, deadline, witness } = permit2Message(chain.pullFactory, pull)
  const types = Object.entries(permit2Types).map(([name, fields]) => [
    name,
    fields.map((each) => ({ ...each })),
  ])
  return {
    types: { EIP712Domain: domainFields, ...Object.fromEntries(types) },
    primaryType: 'PermitWitnessTransferFrom',
    domain: permit2Domain(chain.id),
    message: {
      permitted: { token: permitted.token, amount: String(permitted.amount) },
      spender,
      nonce: String(nonce),
      deadline: String(deadline),
      witness,
    },
  }
}
