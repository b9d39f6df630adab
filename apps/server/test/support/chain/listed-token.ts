import { testUSDTBytecode } from '@sluice/contracts/abi/TestUSDT.ts'
import type { NetworkToken } from '@sluice/protocol/networks/network-facts.ts'
import { concat, type Hex, numberToHex } from 'viem'
import { localContracts } from '../../../src/local/deploy-contracts.ts'

type Client = {
  call(request: { data: Hex }): Promise<{ data?: Hex | undefined }>
  setCode(code: { address: Hex; bytecode: Hex }): Promise<void>
}

/** Puts a Tether that anyone can mint at the address of a listed token, with the decimals of that token. */
export async function placeToken(client: Client, { address, decimals }: NetworkToken): Promise<void> {
  const { USDT } = localContracts().tokens
  const { data } = await client.call({ data: testUSDTBytecode })
  if (!data) throw new Error('a call with creation code returns the code')
  await client.setCode({ address: USDT, bytecode: data })
  await client.setCode({ address, bytecode: proxyOf(USDT, decimals) })
}

/** Answers `decimals()`, and delegates all other calls. */
function proxyOf(target: Hex, decimals: number): Hex {
  return concat([
    ...(['0x60003560e01c', '0x63313ce56714', '0x604557'] as const),
    ...(['0x366000600037', '0x6000600036600073', target, '0x5af4'] as const),
    ...(['0x3d600060003e', '0x604057', '0x3d6000fd'] as const),
    ...(['0x5b3d6000f3', '0x5b60', numberToHex(decimals, { size: 1 }), '0x60005260206000f3'] as const),
  ])
}
