import type { Wallet } from '@sluice/protocol/wallet.ts'
import { concatHex, encodeAbiParameters, getContractAddress, keccak256 } from 'viem'
import type { Hex } from '../../chain/chain.ts'

/**
 * Where a buyer may send anything that is to reach `split` under `reference`, known before anything stands
 * there. The same arithmetic as `SplitFactory.depositAddress`, without asking the chain.
 */
export function depositAddress(factory: Wallet, split: Wallet, reference: Hex): Wallet {
  const salt = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [split, reference]))
  return getContractAddress({
    opcode: 'CREATE2',
    from: factory,
    salt,
    bytecode: depositCreationCode(factory),
  }) as Wallet
}

/** contracts/src/CloneLib.sol, `depositInitCode`: keeps plain coin, delegates everything else. */
function depositCreationCode(factory: Wallet): Hex {
  // The factory's constructor makes the deposits' implementation second.
  const implementation = getContractAddress({ opcode: 'CREATE', from: factory, nonce: 2n })
  return concatHex([
    '0x602a8060093d393df3',
    '0x36600557005b',
    '0x365f5f37',
    '0x5f5f365f73',
    implementation,
    '0x5af4',
    '0x5f52595ff3',
  ])
}
