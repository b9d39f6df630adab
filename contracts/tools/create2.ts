// SPDX-License-Identifier: Apache-2.0
import { type Address, getContractAddress, type Hex } from 'viem'

/**
 * The deployer that gives the factories and the test tokens the same address on every chain. Its calldata is
 * `salt (32 bytes) | creation code`. It exists on Base, and anvil starts with it.
 */
export const create2Deployer: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/** Salt of all contracts that this project deploys through {@link create2Deployer}. */
export const create2Salt: Hex = `0x${'00'.repeat(32)}`

/** Returns the address of `initCode` (creation bytecode and any arguments) after deployment on any chain. */
export function create2Address(initCode: Hex): Address {
  return getContractAddress({
    opcode: 'CREATE2',
    from: create2Deployer,
    salt: create2Salt,
    bytecode: initCode,
  })
}

/**
 * Returns the transaction that deploys `initCode` at {@link create2Address}. Not safe to repeat: the deployer
 * reverts if the address already has code, so check for code first.
 */
export function create2Deployment(initCode: Hex): { to: Address; data: Hex } {
  return { to: create2Deployer, data: `${create2Salt}${initCode.slice(2)}` }
}
