import type { UnixMs } from '@sluice/protocol/time.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import {
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  recoverAddress,
} from 'viem'
import type { Chain } from '../../chain/chain.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

export type SignatureVerdict = 'own-key' | 'contract' | 'not-signed' | 'not-asked'

/**
 * Checks whether `wallet` signed `hash`.
 *
 * An EOA, including EIP-7702, is verified locally. Once a wallet has logged in this way, it is never verified
 * in any other way, so that no RPC endpoint can impersonate it.
 *
 * A contract is verified by an undeployed validator: ERC-1271, or ERC-6492 before deployment. `not-asked`
 * means that the endpoints cannot corroborate each other. A contract's result can change, so do not cache it.
 *
 * @throws {ChainUnavailable} if the chain is required and unavailable.
 */
export async function checkSignature(
  needs: { db: Database; chain: Pick<Chain, 'callCode' | 'isCorroborated'> },
  wallet: Wallet,
  hash: Hex,
  signature: Hex,
): Promise<SignatureVerdict> {
  // The validator recovers the zero address from an invalid signature.
  if (wallet === nativeAddress) return 'not-signed'
  if ((await recover(hash, signature)) === wallet) return 'own-key'
  if (await isOwnSigner(needs.db, wallet)) return 'not-signed'
  if (!needs.chain.isCorroborated) return 'not-asked'
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [wallet, hash, signature],
  })
  const outcome = await needs.chain.callCode(data)
  return outcome.ok && /^0x0*1$/.test(outcome.data) ? 'contract' : 'not-signed'
}

async function recover(hash: Hex, signature: Hex): Promise<string | undefined> {
  if (signature.length !== 132) return undefined
  try {
    return await recoverAddress({ hash, signature })
  } catch {
    return undefined
  }
}

export async function isOwnSigner(db: Database, wallet: Wallet): Promise<boolean> {
  return (await db.row(find({ wallet }))) !== undefined
}

/** Records that a wallet signs with its own key. Safe to repeat. */
export async function recordOwnSigner(tx: Database, wallet: Wallet, at: UnixMs): Promise<void> {
  await tx.run(insert({ wallet, at }))
}

const find = statement({
  name: 'find-own-signer',
  reads: { wallet: text() },
  text: 'SELECT wallet FROM own_signer WHERE wallet = :wallet',
})

const insert = statement({
  name: 'insert-own-signer',
  text: 'INSERT INTO own_signer (wallet, first_at) VALUES (:wallet, :at) ON CONFLICT (wallet) DO NOTHING',
})
