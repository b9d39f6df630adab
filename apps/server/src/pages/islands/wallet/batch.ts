import { readError } from '@sluice/browser-wallet/read-error.ts'
import type { IslandCall } from '../../live/island-data.ts'
import {
  maxLooks,
  type Payment,
  pauseBeforeLook,
  readHex,
  stuckAfterMs,
  tryRead,
  writeHex,
} from './payment.ts'

/** State of a batch. `going` means that the outcome is not known yet. */
export type BatchState = { readonly fate: 'mined' | 'reverted' | 'going'; readonly hash: string | undefined }

/** EIP-5792 error codes after which separate calls may still work. */
const notAsOne: ReadonlySet<number> = new Set([5700, 5710, 5740, 5750, 5760, 4200, -32601, -32602])

/** Returns whether the wallet supports atomic batches (EIP-5792) on this chain without an account upgrade. */
export async function sendsBatches(payment: Payment, payer: string): Promise<boolean> {
  const chainId = writeHex(payment.offer.chain.id)
  const response = await tryRead(payment, 'wallet_getCapabilities', payer, [chainId])
  const own = (response as Record<string, Capabilities> | undefined)?.[chainId]
  // Drafts of EIP-5792 named the capability `atomicBatch`.
  return own?.atomic?.status === 'supported' || own?.atomicBatch?.supported === true
}

type Capabilities = { atomic?: { status?: string }; atomicBatch?: { supported?: boolean } }

/**
 * Sends all calls in one transaction. Returns `undefined` if the wallet does not support batches after all.
 *
 * @throws the wallet's rejection, and {unwanted}.
 */
export async function sendBatch(
  payment: Payment,
  payer: string,
  calls: readonly IslandCall[],
): Promise<string | undefined> {
  const batch = {
    version: '2.0.0',
    from: payer,
    chainId: writeHex(payment.offer.chain.id),
    atomicRequired: true,
    calls: calls.map(({ to, data, value }) => ({ to, data, value })),
  }
  try {
    const response = await payment.provider.request({ method: 'wallet_sendCalls', params: [batch] })
    const id = typeof response === 'string' ? response : (response as { id?: unknown } | null)?.id
    return typeof id === 'string' ? id : undefined
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code
    if (notAsOne.has(Number(code)) || readError(error).kind === 'unsupported') return undefined
    throw error
  }
}

/**
 * Follows a batch until it is mined or reverted.
 * @throws {unwanted}
 */
export async function followBatch(
  payment: Pick<Payment, 'provider' | 'isWanted'>,
  id: string,
  on: { hash(hash: string): void; stuck(): void },
  sentAgoMs: number,
): Promise<BatchState['fate']> {
  const stuckAt = performance.now() - sentAgoMs + stuckAfterMs
  let shown: string | undefined
  let isStuck = false
  for (let count = 0; count < maxLooks; count++) {
    const { fate, hash } = readBatch(await tryRead(payment, 'wallet_getCallsStatus', id))
    if (hash && hash !== shown) on.hash(hash)
    shown = hash ?? shown
    if (fate !== 'going') return fate
    if (!isStuck && performance.now() > stuckAt) {
      isStuck = true
      on.stuck()
    }
    await pauseBeforeLook(count)
  }
  return 'going'
}

/** Parses a `wallet_getCallsStatus` result: a number in the final EIP-5792, a string in its drafts. */
function readBatch(response: unknown): BatchState {
  const { status, receipts } = (response ?? {}) as {
    status?: number | string
    receipts?: readonly { transactionHash?: string; status?: string }[]
  }
  const last = receipts?.at(-1)
  const hash = typeof last?.transactionHash === 'string' ? last.transactionHash : undefined
  const isOver = status === 'CONFIRMED' || Number(status) >= 200
  if (!isOver) return { fate: 'going', hash }
  const isUndone = Number(status) >= 400 || (last?.status !== undefined && readHex(last.status) !== 1n)
  return { fate: isUndone ? 'reverted' : 'mined', hash }
}
