import { createHash } from 'node:crypto'
import { errorStatus } from '@sluice/protocol/errors.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { ApiError, invalidInput, viewError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { JoiningDatabase } from '../../platform/database/joining/joining-database.ts'
import type { KeyedRequest, PlainResponse } from '../route.ts'
import { findKeptResponse, insertKeptResponse, type KeptResponse, tryLockKey } from './store.ts'

const keptStatuses: readonly number[] = [400, 404, 409]

/**
 * Handles a request once. A repeat gets the first response, byte for byte.
 *
 * Stores the response in the transaction of `handle`, so a crash keeps both or neither. Stores successful
 * responses and the handler's own 400, 404 and 409 responses.
 *
 * See docs/contract.md#idempotency.
 *
 * @param prepare - Fetches external data before the transaction, but not for a repeat.
 * @throws {ApiError} `idempotency_conflict` if the key belongs to another body, to a response with a secret,
 * or to a request in progress. Also throws errors of `handle` that are not stored.
 */
export async function respondOnce(
  needs: { db: JoiningDatabase; clock: Clock },
  request: KeyedRequest,
  prepare: () => Promise<unknown>,
  handle: (prepared: unknown) => Promise<PlainResponse>,
): Promise<PlainResponse & { isReplay: boolean }> {
  const known = await findKeptResponse(needs.db, request)
  if (known) return replay(known, request)
  const preparing = prepare()
  await preparing.catch(() => {}) // the error is thrown again below, where the response is stored
  return needs.db.together(async (tx) => {
    // The primary key guarantees correctness. The lock only spares a concurrent request the wait for the
    // first one.
    const isFree = await tryLockKey(tx, lockNumber(request))
    const kept = await findKeptResponse(tx, request)
    if (kept) return replay(kept, request)
    if (!isFree) throw conflict('belongs to a request that is still being processed')
    const response = await tx.transaction(async () => handle(await preparing)).catch(keepApiError)
    const isFirst = await insertKeptResponse(tx, request, {
      status: response.status,
      body: request.isSecretResponse ? undefined : response.body,
      at: needs.clock.now(),
    })
    if (!isFirst) throw conflict('belongs to a request that has just completed')
    return { ...response, isReplay: false }
  })
}

/**
 * Returns the stored response for an Idempotency-Key.
 *
 * @throws {ApiError} `idempotency_conflict` if the key belongs to another request or to a response with a
 * secret.
 */
export function replay(kept: KeptResponse, request: KeyedRequest): PlainResponse & { isReplay: true } {
  if (kept.requestHash !== request.requestHash) throw conflict('was already used for a different request')
  if (kept.body === undefined) throw conflict('returned a secret, which is returned only once')
  return { status: kept.status, body: kept.body, isReplay: true }
}

/**
 * Rejects a repeat of a request whose response had a secret.
 *
 * For handlers that must commit before they respond and cannot run in {@link respondOnce}.
 *
 * @throws {ApiError} `idempotency_conflict`.
 */
export async function refuseRepeat(db: Database, request: KeyedRequest): Promise<void> {
  if (await findKeptResponse(db, request)) throw conflict('returned a secret, which is returned only once')
}

/** Records, in the transaction of the effect, that the response to a key contained a secret. */
export async function keepSecretResponse(
  tx: Database,
  request: KeyedRequest,
  response: { status: number; at: UnixMs },
): Promise<void> {
  const isFirst = await insertKeptResponse(tx, request, { ...response, body: undefined })
  if (!isFirst) throw conflict('returned a secret, which is returned only once')
}

/**
 * Returns the Idempotency-Key header of a request.
 *
 * @throws {ApiError} `invalid_input` unless it has 1–255 visible ASCII characters.
 */
export function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw invalidInput({
    path: 'Idempotency-Key',
    message: 'must be 1 to 255 visible ASCII characters, without spaces',
  })
}

/** Returns the SHA-256 that distinguishes a repeat from another request under the same key. */
export function hashRequest(query: string, body: Uint8Array): string {
  return createHash('sha256').update(query).update('\n').update(body).digest('hex')
}

function keepApiError(error: unknown): PlainResponse {
  if (error instanceof ApiError && keptStatuses.includes(errorStatus[error.code]))
    return { status: errorStatus[error.code], body: JSON.stringify(viewError(error)) }
  throw error
}

function conflict(why: string): ApiError {
  return new ApiError('idempotency_conflict', `This Idempotency-Key ${why}`)
}

function lockNumber({ merchant, method, path, key }: KeyedRequest): bigint {
  return createHash('sha256').update([merchant, method, path, key].join('\n')).digest().readBigInt64BE()
}
