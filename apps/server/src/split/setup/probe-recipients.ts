import type { Bps } from '@sluice/protocol/money.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { concatHex, hexToBigInt, hexToNumber, numberToHex, size, slice } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { releasedFactories } from '../../chain/factory-store.ts'
import { EndpointUnavailable } from '../../chain/rpc/rpc.ts'
import type { Recipient } from '../split.ts'

export type Probe = {
  readonly address: Wallet
  /** `undefined` if the chain was unavailable. */
  readonly hasCode: boolean | undefined
  readonly acceptsNativeToken: boolean | undefined
  readonly warning: string | undefined
}

type ProbeChain = Pick<Chain, 'callCode' | 'readBalances' | 'tokens' | 'factory'>

/** Gas limit for a push (contracts/src/MerchantSplit.sol). */
const pushGas = 60_000

/** Addresses that always hold native coin: WETH on the OP stack, and the zero address. */
const everFunded = ['0x4200000000000000000000000000000000000006' as Wallet, nativeAddress]

/**
 * Simulates a payment of one wei to each recipient with a distribution's gas limit.
 *
 * The result is advisory only: if a recipient rejects payments, its share is held.
 */
export async function probeRecipients(chain: ProbeChain, recipients: readonly Wallet[]): Promise<Probe[]> {
  let response: Hex | undefined
  try {
    response = await askChain(chain, recipients)
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
  }
  return recipients.map((address, i) => evaluate(chain, address, response && readWords(response, i)))
}

type Words = { readonly codeSize: bigint; readonly isPaid: boolean }

function evaluate(chain: ProbeChain, address: Wallet, words: Words | undefined): Probe {
  const ours = chain.tokens.find((token) => token.address === address)?.symbol
  const lost = ours ?? (releasedFactories(chain).includes(address) ? 'the split factory' : undefined)
  const hasCode = words && words.codeSize > 0n
  return { address, hasCode, acceptsNativeToken: words?.isPaid, warning: warn() }

  function warn(): string | undefined {
    if (lost) return `is the contract of ${lost}, so payments to it would be lost`
    if (!words) return 'could not be checked: the chain is unavailable'
    if (!words.isPaid)
      return 'rejects ETH from a distribution: its share of ETH would be held in the contract'
    return undefined
  }
}

async function askChain(chain: ProbeChain, recipients: readonly Wallet[]): Promise<Hex | undefined> {
  const value = BigInt(recipients.length)
  const candidates = [...recipients, ...everFunded]
  const balances = await chain.readBalances(candidates, 'latest')
  const from = candidates.find((_, i) => (balances[i] ?? 0n) >= value)
  // Without a funded sender, the calls carry no value.
  const response = await chain.callCode(payEach(recipients, from ? 1 : 0), from && { from, value })
  return response.ok && size(response.data) === 64 * recipients.length ? response.data : undefined
}

function readWords(response: Hex, i: number): Words {
  const word = (at: number) => hexToBigInt(slice(response, at, at + 32))
  return { codeSize: word(64 * i), isPaid: word(64 * i + 32) === 1n }
}

function payEach(recipients: readonly Wallet[], units: 0 | 1): Hex {
  const at = (offset: number) => concatHex(['0x61', numberToHex(offset, { size: 2 })])
  const steps = recipients.flatMap((address, i): Hex[] => [
    ...(['0x73', address, '0x3b', at(64 * i), '0x52'] as const), // EXTCODESIZE, MSTORE
    ...(['0x5f5f5f5f60', numberToHex(units, { size: 1 }), '0x73', address] as const),
    ...(['0x61', numberToHex(pushGas, { size: 2 }), '0xf1', at(64 * i + 32), '0x52'] as const), // CALL, MSTORE
  ])
  return concatHex([...steps, at(64 * recipients.length), '0x5ff3'])
}

const rowsAt = 92
const rowSize = 22

const mostBytes = rowsAt + 100 * rowSize

/**
 * Reads the recipients from a contract's code. Returns `undefined` if the code has another form.
 *
 * This proves nothing: the address must also derive from the recipients.
 *
 * @throws {ChainUnavailable}
 */
export async function readClaimedRecipients(
  chain: Pick<Chain, 'callCode'>,
  address: Wallet,
): Promise<Recipient[] | undefined> {
  // Runs undeployed code through `callCode`, which requires two endpoints to agree.
  const response = await chain.callCode(copyCode(address))
  if (!response.ok || size(response.data) !== 32 + mostBytes)
    throw new EndpointUnavailable('malformed', 'the code at an address cannot be read')
  const length = hexToBigInt(slice(response.data, 0, 32))
  if (length > BigInt(mostBytes) || length < BigInt(rowsAt + rowSize)) return undefined
  return parseRows(slice(response.data, 32 + rowsAt, 32 + Number(length)))
}

/** A row consists of an address and the cumulative shares (contracts/src/CloneLib.sol). */
function parseRows(rows: Hex): Recipient[] | undefined {
  if (size(rows) % rowSize !== 0) return undefined
  const recipients: Recipient[] = []
  let before = 0
  for (let at = 0; at < size(rows); at += rowSize) {
    const address = parseWallet(slice(rows, at, at + 20))
    const running = hexToNumber(slice(rows, at + 20, at + rowSize))
    if (!address || running <= before) return undefined
    recipients.push({ address, sharesBps: (running - before) as Bps })
    before = running
  }
  return recipients
}

function copyCode(address: Wallet): Hex {
  const total = numberToHex(32 + mostBytes, { size: 2 })
  return concatHex([
    '0x73', // PUSH20 address, EXTCODESIZE, MSTORE at 0
    address,
    '0x3b5f52',
    '0x61', // EXTCODECOPY of mostBytes, from offset 0 to memory at 32
    numberToHex(mostBytes, { size: 2 }),
    '0x5f602073',
    address,
    '0x3c',
    '0x61', // RETURN everything
    total,
    '0x5ff3',
  ])
}
