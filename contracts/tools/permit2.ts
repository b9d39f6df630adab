// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getContractAddress, type Hex, parseAbi } from 'viem'
import { create2Deployer } from './create2.ts'
import { contractsFolder } from './forge.ts'

/** Permit2 as its authors deployed it, and the source of this copy. */
type Permit2 = {
  address: Hex
  salt: Hex
  creationCode: Hex
  source: string
  license: string
}

/**
 * Permit2. Its code needs no trust: the address is derived from the code, so no other code can exist at that
 * address.
 */
export const permit2 = read()

/** ABI of the Permit2 functions that this project uses. */
export const permit2Abi = parseAbi([
  'struct TokenPermissions { address token; uint256 amount; }',
  'struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }',
  'struct SignatureTransferDetails { address to; uint256 requestedAmount; }',
  'function permitTransferFrom(PermitTransferFrom permit, SignatureTransferDetails transferDetails, address owner, bytes signature)',
  'function permitWitnessTransferFrom(PermitTransferFrom permit, SignatureTransferDetails transferDetails, address owner, bytes32 witness, string witnessTypeString, bytes signature)',
  'function invalidateUnorderedNonces(uint256 wordPos, uint256 mask)',
  'function nonceBitmap(address owner, uint256 word) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
])

function read(): Permit2 {
  const found = JSON.parse(readFileSync(join(contractsFolder, 'deployments/permit2.json'), 'utf8')) as Permit2
  const { address, salt, creationCode: bytecode } = found
  if (getContractAddress({ opcode: 'CREATE2', from: create2Deployer, salt, bytecode }) !== address)
    throw new Error('deployments/permit2.json holds another code than stands at the address of Permit2')
  return found
}
