import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import {
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  recoverAddress,
} from 'viem'
import type { Chain } from '../chain/chain.ts'

/**
 * Whether `wallet` signed `hash`.
 *
 * An account with a key of its own (EIP-7702 ones too) is judged here, without the chain. A contract is asked
 * by a validator that is never deployed: ERC-1271 where the account stands, ERC-6492 where it does not yet.
 * What a contract says may be another thing tomorrow, so the answer is not to be kept.
 *
 * @throws {Refusal} `chain_unavailable` where the chain has to be asked and cannot be.
 */
export async function checkSignature(
  needs: { chain: Pick<Chain, 'callCode'> },
  wallet: Wallet,
  hash: Hex,
  signature: Hex,
): Promise<boolean> {
  // The validator's own recovery gives the zero address for what is no signature at all.
  if (wallet === nativeAddress) return false
  if ((await recover(hash, signature)) === wallet) return true
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [wallet, hash, signature],
  })
  const outcome = await needs.chain.callCode(data)
  return outcome.ok && /^0x0*1$/.test(outcome.data)
}

async function recover(hash: Hex, signature: Hex): Promise<string | undefined> {
  if (signature.length !== 132) return undefined
  try {
    return await recoverAddress({ hash, signature })
  } catch {
    return undefined
  }
}
