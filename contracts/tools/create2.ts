// SPDX-License-Identifier: Apache-2.0
import { type Address, getContractAddress, type Hex } from 'viem'

/**
 * The deployer by which the factory and the test tokens get one address on every chain.
 * It takes `salt (32 bytes) | creation code` as calldata. Base has it; anvil starts with it.
 */
export const create2Deployer: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/** The salt of everything of ours that is deployed through {@link create2Deployer}. */
export const create2Salt: Hex = `0x${'00'.repeat(32)}`

/** Where `initCode` (creation bytecode and its arguments, if any) stands once it is deployed, on any chain. */
export function create2Address(initCode: Hex): Address {
  return getContractAddress({
    opcode: 'CREATE2',
    from: create2Deployer,
    salt: create2Salt,
    bytecode: initCode,
  })
}

/**
 * The transaction that deploys `initCode` at {@link create2Address}. Not safe to repeat: the deployer reverts
 * when the address is taken, so look for code there first.
 */
export function create2Deployment(initCode: Hex): { to: Address; data: Hex } {
  return { to: create2Deployer, data: `${create2Salt}${initCode.slice(2)}` }
}
