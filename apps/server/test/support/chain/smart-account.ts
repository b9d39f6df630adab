import { createRequire } from 'node:module'
import {
  type Abi,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
} from 'viem'
import type { TestChain } from './test-chain.ts'

const source = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// An account that takes signatures of one key (ERC-1271).
contract TestAccount {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        address signer = ecrecover(
            hash, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64])
        );
        return signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

contract TestAccountFactory {
    function make(address owner, bytes32 salt) external returns (address) {
        return address(new TestAccount{salt: salt}(owner));
    }
}
`

type Artifact = { readonly abi: Abi; readonly bytecode: Hex }

export async function deployAccountFactory(chain: TestChain) {
  const { TestAccount, TestAccountFactory } = compile()
  const account = chain.accounts[0]
  if (!account) throw new Error('there are five accounts')
  const send = async (transaction: { to?: Hex; data: Hex }) => {
    const hash = await chain.client.sendUnsignedTransaction({ from: account.address, ...transaction })
    return chain.client.waitForTransactionReceipt({ hash })
  }
  await chain.client.impersonateAccount({ address: account.address })
  const { contractAddress } = await send({ data: TestAccountFactory.bytecode })
  if (!contractAddress) throw new Error('the factory was not deployed')
  const deployCall = (owner: Hex, salt: Hex) =>
    encodeFunctionData({ abi: TestAccountFactory.abi, functionName: 'make', args: [owner, salt] })
  return {
    address: contractAddress,
    accountOf: (owner: Hex, salt: Hex) => ({
      deploy: deployCall(owner, salt),
      address: getContractAddress({
        opcode: 'CREATE2',
        from: contractAddress,
        salt,
        bytecode: concatHex([TestAccount.bytecode, encodeAbiParameters([{ type: 'address' }], [owner])]),
      }),
    }),
    async deploy(owner: Hex, salt: Hex) {
      await send({ to: contractAddress, data: deployCall(owner, salt) })
    },
  }
}

function compile(): Record<'TestAccount' | 'TestAccountFactory', Artifact> {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const input = {
    language: 'Solidity',
    sources: { 'accounts.sol': { content: source } },
    settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const contracts = output.contracts?.['accounts.sol']
  if (!contracts) throw new Error(JSON.stringify(output.errors))
  const artifact = (name: string): Artifact => ({
    abi: contracts[name].abi,
    bytecode: `0x${contracts[name].evm.bytecode.object}`,
  })
  return { TestAccount: artifact('TestAccount'), TestAccountFactory: artifact('TestAccountFactory') }
}
