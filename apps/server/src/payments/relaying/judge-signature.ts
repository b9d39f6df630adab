import type { Wallet } from '@sluice/protocol/wallet.ts'
import { recoverAddress } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import { type Authorization, hashAuthorization, type RelayFault, type TokenDomain } from './authorization.ts'

/** How a signature of an account that does not exist yet ends (ERC-6492). */
const undeployed = '6492649264926492649264926492649264926492649264926492649264926492'

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
  if (signature.endsWith(undeployed)) return 'account_not_deployed'
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
