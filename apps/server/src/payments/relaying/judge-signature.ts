import type { Wallet } from '@sluice/protocol/wallet.ts'
import { isErc6492Signature, parseErc6492Signature, recoverAddress } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import { type Authorization, hashAuthorization, type RelayFault, type TokenDomain } from './authorization.ts'

/**
 * The signature that the payer's contract and token take. Some wallets always wrap it for an account that may not be
 * deployed (ERC-6492), although no contract takes that once the account is.
 *
 * @returns the reason if the payer is not deployed, or the wrapping has another form.
 * @throws {ChainUnavailable}
 */
export async function unwrapSignature(
  chain: Pick<Chain, 'readCode'>,
  payer: Wallet,
  signature: Hex,
): Promise<{ signature: Hex } | { reason: RelayFault }> {
  if (!isErc6492Signature(signature)) return { signature }
  if ((await chain.readCode(payer)) === '0x') return { reason: 'account_not_deployed' }
  try {
    return { signature: parseErc6492Signature(signature).signature }
  } catch {
    return { reason: 'signature_invalid' }
  }
}

/**
 * Whether a signature can be the payer's. An account with a key of its own is judged here, without the chain; what a
 * contract account signed (ERC-1271) the token itself judges in the simulation. A contract account has to stand: no
 * token creates it, and the relayer calls nothing but tokens.
 *
 * @throws {ChainUnavailable}
 */
export async function judgeSignature(
  chain: Pick<Chain, 'readCode'>,
  domain: TokenDomain,
  authorization: Authorization,
  signature: Hex,
): Promise<RelayFault | undefined> {
  return judgeSigner(chain, hashAuthorization(domain, authorization), authorization.from, signature)
}

/** As {@link judgeSignature}, of what has this hash. */
export async function judgeSigner(
  chain: Pick<Chain, 'readCode'>,
  hash: Hex,
  payer: Wallet,
  signature: Hex,
): Promise<RelayFault | undefined> {
  if ((await recover(hash, signature)) === payer) return undefined
  return (await chain.readCode(payer)) === '0x' ? 'signature_invalid' : undefined
}

async function recover(hash: Hex, signature: Hex): Promise<string | undefined> {
  if (signature.length !== 132) return undefined
  try {
    return await recoverAddress({ hash, signature })
  } catch {
    return undefined
  }
}
