import type { Question } from '../api/raw-requests.ts'
import type { Credential } from '../routes/route-sample.ts'

/** A request that has to be refused. */
export type BadCase = {
  readonly what: string
  readonly question: Question
  /** Statuses and codes, `400 invalid_input`; any of them is right. Empty: any answer of the contract is. */
  readonly expect: readonly string[]
}

/** Makes a case of one endpoint. */
export type Make = (what: string, body: unknown, expect?: readonly string[]) => BadCase

/** The headers of each credential. */
export type Headers = Readonly<Record<Credential, Readonly<Record<string, string>>>>

export const invalid = ['400 invalid_input']
export const unauthorized = ['401 unauthorized']
export const forbidden = ['403 forbidden']
export const notFound = ['404 not_found']
