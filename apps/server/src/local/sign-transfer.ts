import { authorizationMessage, permitMessage } from '@sluice/protocol/api/paying/signed-payments.ts'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Chain } from '../chain/chain.ts'
import { authorizationTypes } from '../payments/relaying/authorization.ts'
import { permitTypes } from '../payments/relaying/permit.ts'
import type { LocalWallet } from './master-key.ts'

const domain = Type.Object({
  name: Type.String({ maxLength: 64 }),
  version: Type.String({ maxLength: 64 }),
  chainId: Type.Integer(),
  verifyingContract: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
})
const shape = Type.Union([
  Type.Object({
    primaryType: Type.Literal('TransferWithAuthorization'),
    domain,
    message: authorizationMessage,
  }),
  Type.Object({ primaryType: Type.Literal('Permit'), domain, message: permitMessage }),
])
const typedData = Compile(shape)

/**
 * The demo buyer's signature under a transfer of its own play money, or a permit to take it, in a token of the local
 * chain; `undefined` for anything else. What is signed is made of our own types, never of those that were sent.
 */
export async function signTransfer(
  { holder, chain }: { holder: LocalWallet; chain: Pick<Chain, 'id' | 'tokens'> },
  asked: unknown,
): Promise<Hex | undefined> {
  if (!typedData.Check(asked)) return undefined
  const sent = asked as Static<typeof shape>
  const token = chain.tokens.find(({ address }) => address === parseWallet(sent.domain.verifyingContract))
  const payer = parseWallet(sent.primaryType === 'Permit' ? sent.message.owner : sent.message.from)
  if (!token || sent.domain.chainId !== chain.id || payer !== holder.address) return undefined
  const { name, version } = sent.domain
  const account = privateKeyToAccount(holder.privateKey)
  const own = { name, version, chainId: chain.id, verifyingContract: token.address }
  if (sent.primaryType === 'Permit') {
    const { spender, value, nonce, deadline } = sent.message
    return account.signTypedData({
      domain: own,
      types: permitTypes,
      primaryType: 'Permit',
      message: {
        owner: holder.address,
        spender: spender as Hex,
        value: BigInt(value),
        nonce: BigInt(nonce),
        deadline: BigInt(deadline),
      },
    })
  }
  const { to, value, validAfter, validBefore, nonce } = sent.message
  return account.signTypedData({
    domain: own,
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: holder.address,
      to: to as Hex,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: nonce as Hex,
    },
  })
}
