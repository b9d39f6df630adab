import { authorizationMessage } from '@sluice/protocol/api/paying/signed-payments.ts'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Chain } from '../chain/chain.ts'
import { authorizationTypes } from '../payments/relaying/authorization.ts'
import type { LocalWallet } from './master-key.ts'

const shape = Type.Object({
  primaryType: Type.Literal('TransferWithAuthorization'),
  domain: Type.Object({
    name: Type.String({ maxLength: 64 }),
    version: Type.String({ maxLength: 64 }),
    chainId: Type.Integer(),
    verifyingContract: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
  }),
  message: authorizationMessage,
})
const typedData = Compile(shape)

/**
 * The demo buyer's signature under a transfer of its own play money, in a token of the local chain; `undefined` for
 * anything else. What is signed is made of our own types, never of those that were sent.
 */
export async function signTransfer(
  { holder, chain }: { holder: LocalWallet; chain: Pick<Chain, 'id' | 'tokens'> },
  asked: unknown,
): Promise<Hex | undefined> {
  if (!typedData.Check(asked)) return undefined
  const { domain, message } = asked as Static<typeof shape>
  const token = chain.tokens.find(({ address }) => address === parseWallet(domain.verifyingContract))
  if (!token || domain.chainId !== chain.id || parseWallet(message.from) !== holder.address) return undefined
  const { name, version } = domain
  return privateKeyToAccount(holder.privateKey).signTypedData({
    domain: { name, version, chainId: chain.id, verifyingContract: token.address },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: holder.address,
      to: message.to as Hex,
      value: BigInt(message.value),
      validAfter: BigInt(message.validAfter),
      validBefore: BigInt(message.validBefore),
      nonce: message.nonce as Hex,
    },
  })
}
