import { readError } from '@sluice/browser-wallet/read-error.ts'
import type { IslandCall, IslandOffer } from '../../live/island-data.ts'
import { amountText, ask, type Payment, readHex, tryRead, unwanted, word } from './payment.ts'

const nameOf = '0x06fdde03'
const noncesOf = '0x7ecebe00'

/**
 * Builds the payment with the payer's EIP-2612 permit instead of an approval.
 *
 * Returns `undefined` if the token or wallet has no permit support, or if the call would revert.
 *
 * @throws the wallet's rejection, and {unwanted}.
 */
export async function permitCall(payment: Payment, payer: string): Promise<IslandCall | undefined> {
  const { permit, token } = payment.offer
  if (!permit || !token.address) return undefined
  const asked = (data: string) => tryRead(payment, 'eth_call', { to: token.address, data }, 'latest')
  const [nonce, name] = await Promise.all([asked(noncesOf + word(payer)), asked(nameOf)])
  if (!isWords(nonce, 1) || !isWords(name, 3)) return undefined
  // Reads the name from the contract: on a test network, the token can have another name.
  const domain = { name: readText(name), version: permit.version }
  const typed = typedData(payment.offer, permit, { payer, nonce: readHex(nonce), domain })
  payment.show('permit', { amount: amountText(token, BigInt(payment.offer.amount)) })
  const signature = await sign(payment, payer, JSON.stringify(typed))
  const words = signature && readSignature(signature)
  if (!words) return undefined
  const call: IslandCall = { kind: 'pay', to: permit.spender, data: permit.data + words, value: '0x0' }
  const { to, data } = call
  // An invalid permit would cost the payer the gas of a reverted transaction.
  const rehearsed = await tryRead(payment, 'eth_call', { from: payer, to, data }, 'latest')
  return rehearsed === undefined ? undefined : call
}

async function sign(payment: Payment, payer: string, typed: string): Promise<string | undefined> {
  try {
    return String(await ask(payment, 'eth_signTypedData_v4', payer, typed))
  } catch (error) {
    if (error === unwanted || ['rejected', 'busy'].includes(readError(error).kind)) throw error
    // A wallet that cannot sign typed data can still send an approval.
    return undefined
  }
}

function typedData(
  { chain, token, amount }: IslandOffer,
  permit: NonNullable<IslandOffer['permit']>,
  {
    payer,
    nonce,
    domain,
  }: { payer: string; nonce: bigint; domain: { readonly name: string; readonly version: string } },
) {
  const field = (name: string, type: string) => ({ name, type })
  return {
    domain: { ...domain, chainId: chain.id, verifyingContract: token.address },
    types: {
      EIP712Domain: [
        field('name', 'string'),
        field('version', 'string'),
        field('chainId', 'uint256'),
        field('verifyingContract', 'address'),
      ],
      Permit: [
        field('owner', 'address'),
        field('spender', 'address'),
        field('value', 'uint256'),
        field('nonce', 'uint256'),
        field('deadline', 'uint256'),
      ],
    },
    primaryType: 'Permit',
    message: {
      owner: payer,
      spender: permit.spender,
      value: amount,
      nonce: String(nonce),
      deadline: permit.deadline,
    },
  }
}

/** Returns v, r and s as ABI words, or `undefined` for a contract signature, which permits do not accept. */
function readSignature(signature: string): string | undefined {
  const [, r, s, v] = /^0x([0-9a-f]{64})([0-9a-f]{64})([0-9a-f]{2})$/i.exec(signature) ?? []
  if (!r || !s || !v) return undefined
  const parity = BigInt(`0x${v}`)
  return word(parity < 27n ? parity + 27n : parity) + r + s
}

/** Decodes an ABI-encoded string result. */
function readText(response: string): string {
  const length = Number.parseInt(response.slice(66, 130), 16)
  const bytes = response.slice(130, 130 + length * 2).match(/../g) ?? []
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)))
}

function isWords(response: unknown, count: number): response is string {
  return typeof response === 'string' && /^0x[0-9a-f]*$/i.test(response) && response.length >= 2 + count * 64
}
