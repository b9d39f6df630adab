import { systemClock } from '../../../src/kernel/clock.ts'
import { makePaperProvider } from '../../support/api/onramp.ts'
import { type Happening, testProvider } from '../onramp/provider-conformance.ts'

const now = () => systemClock.now()
const provider = makePaperProvider(now)
const changes = {
  'pays-by-card': 'settled',
  'pays-by-bank': 'ach_pending',
  'bank-settles': 'settled',
  'bank-returns': 'returned',
} as const

testProvider(() => ({
  provider,
  now,
  knownDecline: 'expired_card',
  refusedOrder: undefined,
  async happens({ sessionId }, happening: Happening) {
    if (happening.kind === 'unheard-of')
      return [asRequest(provider.sign(JSON.stringify({ id: 'evt_1', type: 'paper.other', at: now() })))]
    const change =
      happening.kind === 'is-declined'
        ? { kind: 'failed' as const, errorCode: happening.errorCode, requestId: 'req_1' }
        : { kind: changes[happening.kind] }
    return [asRequest(provider.happen(sessionId, change))]
  },
  async withoutServers(work) {
    provider.fail('away')
    return work().finally(() => provider.fail(undefined))
  },
}))

function asRequest({ body, headers }: { body: string; headers: Record<string, string> }) {
  return { body: Buffer.from(body), headers }
}
