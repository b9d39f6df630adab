import type { Wallet } from '@sluice/protocol/wallet.ts'
import { concatHex, encodeAbiParameters, getContractAddress, keccak256, numberToHex, size } from 'viem'
import type { Hex } from '../chain/chain.ts'
import { assert } from '../kernel/assert.ts'
import type { Database } from '../platform/database/database.ts'
import type { Recipient, SplitDraft } from './split.ts'
import { insertSplit } from './store.ts'

/** Makes the address, together with the recipients: one salt for each version of a merchant's split. */
export function saltOf(merchant: Wallet, version: bigint): Hex {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [merchant, version]))
}

/**
 * Where the factory puts the split of these recipients, whether it stands there already or not.
 *
 * The same arithmetic as `SplitFactory.predictSplit`, without asking the chain: CREATE2 over the creation
 * code that the factory puts together (contracts/src/CloneLib.sol).
 */
export function predictSplit(factory: Wallet, recipients: readonly Recipient[], salt: Hex): Wallet {
  return getContractAddress({
    opcode: 'CREATE2',
    from: factory,
    salt,
    bytecode: splitCreationCode(factory, recipients),
  }) as Wallet
}

/** Returns everything after its first ten bytes: head (answers plain coin), proxy, one row for each recipient. */
function splitCreationCode(factory: Wallet, recipients: readonly Recipient[]): Hex {
  // The factory's constructor makes the implementation before anything else.
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
 * Stores a version at the address the factory gives it, in the caller's transaction; `undefined` where the
 * merchant has that version already.
 *
 * Anybody can make that very contract first and claim it as his own split, and only one merchant keeps the
 * books of an address. So the next salt is taken then: whoever does it pays gas and stops nobody.
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
  assert(false, 'nobody claims so many contracts to be in the way')
}

/** The salts a version is made with, in the order they are tried. */
export function saltsOf({
  merchant,
  version,
}: Pick<SplitDraft, 'merchant' | 'version'>): SplitDraft['salt'][] {
  const salts = [saltOf(merchant, version)]
  while (salts.length < saltsTried) salts.push(keccak256(salts.at(-1) as SplitDraft['salt']))
  return salts
}
