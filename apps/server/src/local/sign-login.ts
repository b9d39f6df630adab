import { loginDomain, loginTypedData, loginTypes } from '@sluice/protocol/api/auth.ts'
import { Compile } from 'typebox/compile'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { LocalWallet } from './master-key.ts'

const typedData = Compile(loginTypedData)
const maxTextLength = 10_000

/**
 * The demo merchant's signature under a login to this very service.
 *
 * @param text the typed data as `eth_signTypedData_v4` gives it: JSON.
 * @returns `undefined` for anything else: what is signed is made of our own types, never of those that were sent.
 */
export async function signLogin(
  { holder, host }: { holder: LocalWallet; host: string },
  text: unknown,
): Promise<Hex | undefined> {
  const message = readMessage(text)
  if (message?.host !== host || message.wallet.toLowerCase() !== holder.address.toLowerCase())
    return undefined
  return privateKeyToAccount(holder.privateKey).signTypedData({
    domain: loginDomain,
    types: loginTypes,
    primaryType: 'Login',
    message: {
      wallet: holder.address,
      host,
      purpose: message.purpose,
      chainId: BigInt(message.chainId),
      nonce: message.nonce as Hex,
      issuedAt: BigInt(message.issuedAt),
      expiresAt: BigInt(message.expiresAt),
    },
  })
}

function readMessage(text: unknown) {
  if (typeof text !== 'string' || text.length > maxTextLength) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return typedData.Check(parsed) ? parsed.message : undefined
  } catch {
    return undefined
  }
}
