import { type X402PaymentRequired, x402Headers, x402Version } from '@sluice/protocol/x402/messages.ts'
import { bytesToHex, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Clock, wait } from '../../kernel/clock.ts'
import { systemRandom } from '../../kernel/random.ts'
import { authorizationTypes } from '../../payments/relaying/authorization.ts'
import type { Outbound, OutboundOutcome } from '../../platform/outbound/outbound.ts'
import type { LocalJson } from '../local-settings.ts'

type Reply = Extract<OutboundOutcome, { kind: 'answer' }>

const limitMs = 60_000
const pauseMs = 1_000

/**
 * Pays a receipt as a program does, by x402: asks its payment URL, signs what the answer asks for, and asks again with
 * the signature until it says what became of it.
 *
 * @returns the transaction.
 * @throws where it is not paid by a signature, or not within a minute.
 */
export async function payByProgram(
  { clock, outbound }: { readonly clock: Clock; readonly outbound: Outbound },
  local: LocalJson,
  url: string,
): Promise<string> {
  const asked = await ask(outbound, url)
  if (asked.status !== 402) throw new Error(`it is not to be paid: ${asked.status} ${textOf(asked)}`)
  const header = await sign(clock, local, decode(asked, x402Headers.required) as X402PaymentRequired)
  const giveUpAt = clock.now() + limitMs
  for (;;) {
    const reply = await ask(outbound, url, header)
    const settled = decode(reply, x402Headers.response) as { transaction?: string; errorMessage?: string }
    if (reply.status === 200 && settled.transaction) return settled.transaction
    if (reply.status !== 202 || clock.now() > giveUpAt)
      throw new Error(settled.errorMessage ?? `${reply.status} ${textOf(reply)}`)
    await wait(clock, pauseMs)
  }
}

async function sign(
  clock: Clock,
  local: LocalJson,
  { accepts: [accepted], error }: X402PaymentRequired,
): Promise<string> {
  if (!accepted) throw new Error(error ?? 'no signatures are taken')
  const { amount, asset, payTo, maxTimeoutSeconds, extra } = accepted
  const account = privateKeyToAccount(local.buyer.privateKey)
  const authorization = {
    from: account.address,
    to: payTo as Hex,
    value: BigInt(amount),
    validAfter: 0n,
    validBefore: BigInt(Math.floor(clock.now() / 1000) + maxTimeoutSeconds),
    nonce: bytesToHex(systemRandom.bytes(32)),
  }
  const signature = await account.signTypedData({
    domain: { ...extra, chainId: local.chainId, verifyingContract: asset as Hex },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  })
  const texts = Object.entries(authorization).map(([name, value]) => [name, String(value)])
  const payload = { authorization: Object.fromEntries(texts), signature }
  return Buffer.from(JSON.stringify({ x402Version, accepted, payload })).toString('base64')
}

async function ask(outbound: Outbound, url: string, payment?: string): Promise<Reply> {
  const outcome = await outbound.request({
    method: 'GET',
    url,
    headers: { accept: 'application/json', ...(payment && { [x402Headers.signature]: payment }) },
    timeoutMs: 30_000,
    maxResponseBytes: 1_000_000,
  })
  if (outcome.kind === 'fault') throw new Error(`GET ${url}: ${outcome.fault}, ${outcome.detail}`)
  return outcome
}

function decode({ headers }: Reply, name: string): unknown {
  const text = headers[name.toLowerCase()]
  return text === undefined ? {} : JSON.parse(Buffer.from(text, 'base64').toString())
}

function textOf({ body }: Reply): string {
  return Buffer.from(body).toString()
}
