import { createHash } from 'node:crypto'
import { errorStatus } from '@sluice/protocol/errors.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import { invalidInput, Refusal, viewError } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { JoiningDatabase } from '../../platform/database/joining/joining-database.ts'
import type { KeyedRequest, PlainAnswer } from '../route.ts'
import { findKeptAnswer, insertKeptAnswer, type KeptAnswer, tryLockKey } from './store.ts'

const keptStatuses: readonly number[] = [400, 404, 409]

/**
 * Answers a request once: a repeat gets the first answer again, byte for byte.
 *
 * The answer is kept in the same transaction as all that `handle` changes, so after a crash either both are
 * there or neither, and nothing stays in flight. Kept are successes and the handler's own 400, 404 and 409.
 *
 * @param prepare - Asks the world for what `handle` needs of it, before the transaction and not for a repeat.
 * @throws {Refusal} `idempotency_conflict` where the key stands for another body, for an answer that held a
 * secret, or for a request that is still being answered; and what `handle` throws that is not kept.
 */
export async function answerOnce(
  needs: { db: JoiningDatabase; clock: Clock },
  request: KeyedRequest,
  prepare: () => Promise<unknown>,
  handle: (prepared: unknown) => Promise<PlainAnswer>,
): Promise<PlainAnswer & { isReplay: boolean }> {
  const known = await findKeptAnswer(needs.db, request)
  if (known) return replay(known, request)
  const preparing = prepare()
  await preparing.catch(() => {}) // what it refused is answered, and kept, where `handle` would refuse
  return needs.db.together(async (tx) => {
    // Correctness is the row's key: the lock only spares a second request the wait for the first.
    const isFree = await tryLockKey(tx, lockNumber(request))
    const kept = await findKeptAnswer(tx, request)
    if (kept) return replay(kept, request)
    if (!isFree) throw conflict('belongs to a request that is still being processed')
    const answer = await tx.transaction(async () => handle(await preparing)).catch(keepRefusal)
    const isFirst = await insertKeptAnswer(tx, request, {
      status: answer.status,
      body: request.hasSecretAnswer ? undefined : answer.body,
      at: needs.clock.now(),
    })
    if (!isFirst) throw conflict('belongs to a request that has just been answered')
    return { ...answer, isReplay: false }
  })
}

/**
 * The answer that was kept for the request's key, given again.
 *
 * @throws {Refusal} `idempotency_conflict` where the key stands for another request, or for an answer with a secret.
 */
export function replay(kept: KeptAnswer, request: KeyedRequest): PlainAnswer & { isReplay: true } {
  if (kept.requestHash !== request.requestHash) throw conflict('was already used for a different request')
  if (kept.body === undefined) throw conflict('was answered with a secret, which is shown only once')
  return { status: kept.status, body: kept.body, isReplay: true }
}

/**
 * Refuses a request whose key was answered with a secret before: for a handler that must commit something
 * before it answers and so cannot run inside {@link answerOnce}.
 *
 * @throws {Refusal} `idempotency_conflict`.
 */
export async function refuseRepeat(db: Database, request: KeyedRequest): Promise<void> {
  if (await findKeptAnswer(db, request))
    throw conflict('was answered with a secret, which is shown only once')
}

/** Remembers, in the transaction of its effect, that a key was answered with a secret. */
export async function keepSecretAnswer(
  tx: Database,
  request: KeyedRequest,
  answer: { status: number; at: UnixMs },
): Promise<void> {
  const isFirst = await insertKeptAnswer(tx, request, { ...answer, body: undefined })
  if (!isFirst) throw conflict('was answered with a secret, which is shown only once')
}

/**
 * The Idempotency-Key of a request, if it sent one.
 *
 * @throws {Refusal} `invalid_input` unless it is 1–255 visible ASCII characters.
 */
export function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw invalidInput({
    path: 'Idempotency-Key',
    message: 'must be 1 to 255 visible ASCII characters, without spaces',
  })
}

/** What tells two requests with one key apart: query and body as they were sent. */
export function hashRequest(query: string, body: Uint8Array): string {
  return createHash('sha256').update(query).update('\n').update(body).digest('hex')
}

/** The handler's own refusals are answers too; what it had changed before is undone already. */
function keepRefusal(error: unknown): PlainAnswer {
  if (error instanceof Refusal && keptStatuses.includes(errorStatus[error.code]))
    return { status: errorStatus[error.code], body: JSON.stringify(viewError(error)) }
  throw error
}

function conflict(why: string): Refusal {
  return new Refusal('idempotency_conflict', `This Idempotency-Key ${why}`)
}

function lockNumber({ merchant, method, path, key }: KeyedRequest): bigint {
  return createHash('sha256').update([merchant, method, path, key].join('\n')).digest().readBigInt64BE()
}
