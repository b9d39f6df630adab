import { hkdfSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { bytesToHex, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { assert } from '../kernel/assert.ts'
import type { Random } from '../kernel/random.ts'
import { writePrivateFile } from '../platform/process/private-file.ts'

/** A wallet with its key, for play money only. */
export type LocalWallet = { readonly address: Wallet; readonly privateKey: Hex }

/** Who holds a wallet in a local shop. */
export type LocalRole = 'merchant' | 'buyer' | 'deployer' | 'keeper' | 'relayer' | 'platform' | 'partner'

/** The master key in `dataDir`/master.key, made on the first start. */
export async function readMasterKey(random: Random, dataDir: string): Promise<string> {
  const path = join(dataDir, 'master.key')
  const found = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (found !== undefined) {
    const key = found.trim()
    if (key.length < 32) throw new Error(`${path} does not hold a master key of at least 32 characters`)
    return key
  }
  const key = Buffer.from(random.bytes(32)).toString('base64url')
  await writePrivateFile(path, `${key}\n`)
  return key
}

/**
 * The wallet of a role. It follows from the master key, so it stays the same from start to start
 * and its private key is kept nowhere else.
 */
export function localWallet(masterKey: string, role: LocalRole): LocalWallet {
  const bytes = new Uint8Array(hkdfSync('sha256', masterKey, 'sluice local wallet', role, 32))
  const privateKey = bytesToHex(bytes)
  const address = parseWallet(privateKeyToAddress(privateKey))
  assert(address, 'a private key has an address')
  return { address, privateKey }
}
