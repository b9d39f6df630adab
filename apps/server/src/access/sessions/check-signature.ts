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

/** By what a wallet is found to have signed, or why it is not. */
export type SignatureVerdict = 'own-key' | 'contract' | 'not-signed' | 'not-asked'

/**
 * Whether `wallet` signed `hash`.
 *
 * An account with a key of its own (EIP-7702 ones too) is judged here, without the chain, and one that has ever
 * logged in that way is never judged otherwise: no endpoint's word can let somebody else in as it. A contract is
 * asked by a validator that is never deployed: ERC-1271 where the account stands, ERC-6492 where it does not yet;
 * `not-asked` where there is only one stranger's endpoint to ask. What a contract says may be another thing
 * tomorrow, so the answer is not to be kept.
 *
 * @throws {ChainUnavailable} where the chain has to be asked and cannot be.
 */
export async function checkSignature(
  needs: { db: Database; chain: Pick<Chain, 'callCode' | 'isCorroborated'> },
  wallet: Wallet,
  hash: Hex,
  signature: Hex,
): Promise<SignatureVerdict> {
  // The validator's own recovery gives the zero address for what is no signature at all.
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

/** Whether a wallet has ever logged in by a key of its own. */
export async function isOwnSigner(db: Database, wallet: Wallet): Promise<boolean> {
  return (await db.row(find({ wallet }))) !== undefined
}

/** Records that a wallet has a key of its own; safe to repeat. */
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
