import type { Bps } from '@sluice/protocol/money.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { concatHex, hexToBigInt, hexToNumber, numberToHex, size, slice } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { releasedFactories } from '../../chain/factory-store.ts'
import { EndpointUnavailable } from '../../chain/rpc/rpc.ts'
import type { Recipient } from '../split.ts'

/** What is known of a recipient before it is paid for the first time. */
export type Probe = {
  readonly address: Wallet
  /** Absent where the chain could not be asked. */
  readonly hasCode: boolean | undefined
  readonly acceptsNativeToken: boolean | undefined
  readonly warning: string | undefined
}

/** The chain as far as probing leans on it. */
type ProbeChain = Pick<Chain, 'callCode' | 'readBalances' | 'tokens' | 'factory'>

/** Gas that a distribution leaves a recipient (contracts/src/MerchantSplit.sol). */
const pushGas = 60_000

/** The wrapped coin of the OP stack, which always holds some; and what many burn coin at. */
const everFunded = ['0x4200000000000000000000000000000000000006' as Wallet, nativeAddress]

/**
 * Pays each recipient one base unit of the chain's coin in a call that is never sent, on the gas that a
 * distribution gives it. Advice: a recipient that refuses stops nobody, its part is held for it.
 *
 * Where the chain cannot be asked, each probe says so.
 */
export async function probeRecipients(chain: ProbeChain, recipients: readonly Wallet[]): Promise<Probe[]> {
  let answer: Hex | undefined
  try {
    answer = await askChain(chain, recipients)
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
  }
  return recipients.map((address, i) => judge(chain, address, answer && readWords(answer, i)))
}

type Words = { readonly codeSize: bigint; readonly isPaid: boolean }

function judge(chain: ProbeChain, address: Wallet, words: Words | undefined): Probe {
  const ours = chain.tokens.find((token) => token.address === address)?.symbol
  const lost = ours ?? (releasedFactories(chain).includes(address) ? 'the split factory' : undefined)
  const hasCode = words && words.codeSize > 0n
  return { address, hasCode, acceptsNativeToken: words?.isPaid, warning: warn() }

  function warn(): string | undefined {
    if (lost) return `is the contract of ${lost}: payments to it are lost`
    if (!words) return 'could not be checked: the chain is unavailable'
    if (!words.isPaid)
      return 'does not accept ETH the way a distribution pays it: its share of ETH would be held in the contract'
    return undefined
  }
}

async function askChain(chain: ProbeChain, recipients: readonly Wallet[]): Promise<Hex | undefined> {
  const value = BigInt(recipients.length)
  const candidates = [...recipients, ...everFunded]
  const balances = await chain.readBalances(candidates, 'latest')
  const from = candidates.find((_, i) => (balances[i] ?? 0n) >= value)
  // With nothing to spend recipients are at least called, as a payment calls them.
  const answer = await chain.callCode(payEach(recipients, from ? 1 : 0), from && { from, value })
  return answer.ok && size(answer.data) === 64 * recipients.length ? answer.data : undefined
}

function readWords(answer: Hex, i: number): Words {
  const word = (at: number) => hexToBigInt(slice(answer, at, at + 32))
  return { codeSize: word(64 * i), isPaid: word(64 * i + 32) === 1n }
}

/** Creation code that pays each, and returns for each the length of its code and whether it was paid. */
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

/** More than any split has: a hundred rows. */
const mostBytes = rowsAt + 100 * rowSize

/**
 * The recipients that the code at an address names in the way of the factory's splits; `undefined` where there
 * is no code, or other code.
 *
 * A claim only: whether the factory made it shows when its address follows from the recipients.
 *
 * @throws {ChainUnavailable}
 */
export async function readClaimedRecipients(
  chain: Pick<Chain, 'callCode'>,
  address: Wallet,
): Promise<Recipient[] | undefined> {
  // Code that is never deployed copies the code at the address: so two endpoints have to agree on it.
  const answer = await chain.callCode(copyCode(address))
  if (!answer.ok || size(answer.data) !== 32 + mostBytes)
    throw new EndpointUnavailable('malformed', 'the code at an address cannot be read')
  const length = hexToBigInt(slice(answer.data, 0, 32))
  if (length > BigInt(mostBytes) || length < BigInt(rowsAt + rowSize)) return undefined
  return parseRows(slice(answer.data, 32 + rowsAt, 32 + Number(length)))
}

/** Each row is an address and the running total of the shares (contracts/src/CloneLib.sol). */
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

/** Creation code that returns the length of an address's code and its first bytes, padded with zeros. */
function copyCode(address: Wallet): Hex {
  const total = numberToHex(32 + mostBytes, { size: 2 })
  return concatHex([
    '0x73', // PUSH20 address, EXTCODESIZE, MSTORE at 0
    address,
    '0x3b5f52',
    '0x61', // EXTCODECOPY of mostBytes from 0 to 32
    numberToHex(mostBytes, { size: 2 }),
    '0x5f602073',
    address,
    '0x3c',
    '0x61', // RETURN all of it
    total,
    '0x5ff3',
  ])
}
