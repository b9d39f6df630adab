import type { Wallet } from '@sluice/protocol/wallet.ts'
import { concatHex, encodeAbiParameters, getContractAddress, keccak256, numberToHex, size } from 'viem'
import type { Hex } from '../chain/chain.ts'
import { assert } from '../kernel/assert.ts'
import type { Database } from '../platform/database/database.ts'
import type { Recipient, SplitDraft } from './split.ts'
import { insertSplit } from './store.ts'

export function saltOf(merchant: Wallet, version: bigint): Hex {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [merchant, version]))
}

/**
 * Returns the CREATE2 address of a split, deployed or not.
 *
 * Uses the same computation as `SplitFactory.predictSplit`. The creation code is in
 * contracts/src/CloneLib.sol.
 */
export function predictSplit(factory: Wallet, recipients: readonly Recipient[], salt: Hex): Wallet {
  return getContractAddress({
    opcode: 'CREATE2',
    from: factory,
    salt,
    bytecode: splitCreationCode(factory, recipients),
  }) as Wallet
}

function splitCreationCode(factory: Wallet, recipients: readonly Recipient[]): Hex {
  // The implementation is the first contract that the factory's constructor creates.
  const implementation = getContractAddress({ opcode: 'CREATE', from: factory, nonce: 1n })
  let running = 0
  const rows = recipients.map(({ address, sharesBps }) => {
    running += sharesBps
    return concatHex([address, numberToHex(running, { size: 2 })])
  })
  const code = concatHex([
    '0x36602f57335f523459527f',
    '0x6ef95f06320e7a25a04a175ca677b7052bdd97131872c2192525a629f51be770', // PaymentReceived(address,uint256)
    '0x595fa1005b',
    '0x365f5f375f5f365f73',
    implementation,
    '0x5af43d5f5f3e5f3d91605a57fd5bf3',
    ...rows,
  ])
  return concatHex(['0x61', numberToHex(size(code), { size: 2 }), '0x80600a3d393df3', code])
}

const saltsTried = 16

/**
 * Stores a version at its predicted address. Returns `undefined` if the version exists.
 *
 * Anyone can deploy the same contract first and adopt it, and an address has only one owner. In that case the
 * next salt is used, so such an attacker pays gas but blocks no merchant.
 */
export async function placeSplit(
  tx: Database,
  factory: SplitDraft['address'],
  draft: Omit<SplitDraft, 'address' | 'salt' | 'factory'>,
): Promise<SplitDraft | undefined> {
  for (const salt of saltsOf(draft)) {
    const address = predictSplit(factory, draft.recipients, salt)
    const split = { ...draft, address, salt, factory }
    const outcome = await insertSplit(tx, split)
    if (outcome !== 'address-taken') return outcome === 'stored' ? split : undefined
  }
  assert(false, 'the number of occupied addresses is bounded')
}

export function saltsOf({
  merchant,
  version,
}: Pick<SplitDraft, 'merchant' | 'version'>): SplitDraft['salt'][] {
  const salts = [saltOf(merchant, version)]
  while (salts.length < saltsTried) salts.push(keccak256(salts.at(-1) as SplitDraft['salt']))
  return salts
}
