import type { Hex } from '../chain.ts'
import type { Endpoint } from './endpoint.ts'
import type { RpcAnswer } from './rpc.ts'

/** The answer of an endpoint to one call. */
export async function askOne(
  endpoint: Endpoint,
  method: string,
  params: readonly unknown[],
): Promise<RpcAnswer | undefined> {
  const [answer] = await endpoint.ask([{ method, params }])
  return answer
}

/** What a call reverted with, or `undefined` where it did not, as nodes tell a revert: code 3 or its word. */
export function readRevert(answer: RpcAnswer | undefined): Hex | undefined {
  if (answer?.kind !== 'error') return undefined
  if (answer.code !== 3 && !/revert/i.test(answer.message)) return undefined
  return typeof answer.data === 'string' && /^0x([0-9a-fA-F]{2})*$/.test(answer.data)
    ? (answer.data.toLowerCase() as Hex)
    : '0x'
}
