import type { Bps } from '@sluice/protocol/money.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { concatHex, hexToBigInt, hexToNumber, numberToHex, size, slice } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import { EndpointUnavailable } from '../../chain/rpc/rpc.ts'
import type { Recipient } from '../split.ts'

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
