import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { bytesToHex, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Random, systemRandom } from '../../../src/kernel/random.ts'
import { registerSecrets } from '../secrets/secret-register.ts'

/** A wallet nobody knows yet. */
export function newWallet(random: Random = systemRandom): { wallet: Wallet; privateKey: Hex } {
  const privateKey = bytesToHex(random.bytes(32))
  registerSecrets(privateKey)
  return { privateKey, wallet: parseWallet(privateKeyToAccount(privateKey).address) as Wallet }
}
