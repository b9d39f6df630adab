import { readError } from '@sluice/browser-wallet/read-error.ts'
import {
  amountText,
  ask,
  type Ending,
  type Payment,
  pauseBeforeLook,
  readHex,
  tryRead,
  unwanted,
  word,
} from './payment.ts'

type Asked = { readonly attemptId: string; readonly typedData: TypedData }
type TypedData = { readonly primaryType: string; readonly message: unknown }
type PostResult<T> = { readonly body: T } | { readonly refused: string }

const balanceOf = '0x70a08231'
const allowanceOf = '0xdd62ed3e'
const postLimitMs = 15_000
const postTries = 3

/**
 * Returns whether one signature of this account can pay the offer.
 *
 * Requires gas sponsorship, sufficient balance and, if the token needs it, a Permit2 approval. Loaded as a
 * separate file.
 */
export async function canSign(payment: Payment, payer: string): Promise<boolean> {
  const { signing, token, amount } = payment.offer
  if (!signing || !token.address) return false
  const { address: to } = token
  const isEnough = async (data: string) => {
    const result = await tryRead(payment, 'eth_call', { to, data }, 'latest')
    return result !== undefined && readHex(result) >= BigInt(amount)
  }
  if (!(await isEnough(balanceOf + word(payer)))) return false
  return !signing.approved || isEnough(allowanceOf + word(payer) + word(signing.approved))
}

/**
 * Pays with one signature: gets the message, signs it and submits it.
 *
 * Safe to repeat: the service accepts the same signature once.
 */
export async function signPayment(payment: Payment, payer: string): Promise<Ending> {
  const { signing, token, amount } = payment.offer
  if (!signing) return refused('unavailable')
  payment.show('signature-loading')
  const asked = await post<Asked>(payment, signing.requestPath, { token: token.symbol, payer })
  if ('refused' in asked) return refused(asked.refused)
  const { attemptId, typedData } = asked.body
  const step = typedData.primaryType === 'TransferWithAuthorization' ? 'signature' : 'signature-permit'
  payment.show(step, { amount: amountText(token, BigInt(amount)) })
  let signature: unknown
  try {
    signature = await ask(payment, 'eth_signTypedData_v4', payer, JSON.stringify(typedData))
  } catch (error) {
    if (error === unwanted || ['rejected', 'busy'].includes(readError(error).kind)) throw error
    return { step: 'signature-unsupported' }
  }
  payment.show('signature-sending')
  const body = { attemptId, authorization: typedData.message, payer, signature }
  const taken = await post(payment, signing.submitPath, body)
  return 'refused' in taken ? refused(taken.refused) : { step: 'relaying' }
}

function refused(reason: string): Ending {
  return { step: 'signature-refused', slots: { error: `refused-${kinds[reason] ?? 'other'}` } }
}

const kinds: Readonly<Record<string, string>> = {
  insufficient_funds: 'funds',
  not_approved: 'approval',
  attempt_closed: 'expired',
  authorization_expired: 'expired',
  payment_under_way: 'under-way',
  payer_busy: 'under-way',
  already_paid: 'under-way',
  relayer_unavailable: 'unavailable',
  gas_too_expensive: 'unavailable',
  unavailable: 'unavailable',
  lost: 'lost',
}

/** Retries network errors and 5xx responses. Other responses are final. */
async function post<T>(payment: Payment, path: string, body: object): Promise<PostResult<T>> {
  for (let count = 1; ; count++) {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(postLimitMs),
    }).catch(() => undefined)
    if (!payment.isWanted()) throw unwanted
    if (response && response.status < 500) {
      const result = (await response.json()) as T & { reason?: string }
      return response.ok ? { body: result } : { refused: result.reason ?? 'other' }
    }
    if (count === postTries) return { refused: 'lost' }
    await pauseBeforeLook(count)
  }
}
