import type { TestClock } from '../test-clock.ts'
import { type ContractWorld, startContractWorld } from '../worlds/contract-world.ts'
import type { Answer, ApiOptions } from '../worlds/start-api.ts'
import { makePaperProvider, type PaperChange, type PaperEvent, type PaperProvider } from './paper-provider.ts'

/** The API with a merchant who can be paid by card: what happens at the provider is a test's to say. */
export type OnrampWorld = ContractWorld & {
  readonly provider: PaperProvider
  /** POST /api/checkout/{id}/onramp, by a buyer. */
  startCard(id: string): Promise<Answer>
  /** A new receipt with a session at the provider. */
  newCardReceipt(fields?: object): Promise<{ id: string; sessionId: string; attemptId: string }>
  /** Sends an event of the provider over HTTP. */
  send(event: PaperEvent): Promise<Answer>
  /** Has something happen at the provider, and sends its event. */
  report(sessionId: string, change: PaperChange): Promise<void>
}

/** Starts it. */
export async function startOnrampWorld(options: ApiOptions = {}): Promise<OnrampWorld> {
  let clock: TestClock | undefined
  const provider = makePaperProvider(() => {
    if (!clock) throw new Error('the provider is asked once the service runs')
    return clock.now()
  })
  const world = await startContractWorld({ onramp: [provider], ...options })
  clock = world.clock
  await world.addSplit(world.merchant.wallet)
  return addCards(world, provider)
}

/** Adds what buyers and the provider do to a world whose service has the provider. */
export function addCards(world: ContractWorld, provider: PaperProvider): OnrampWorld {
  const startCard = (id: string) =>
    world.call('POST', `/api/checkout/${encodeURIComponent(id)}/onramp?recipient=${world.merchant.wallet}`)
  const send = ({ body, headers }: PaperEvent) =>
    world.call('POST', `/api/onramp/events/${provider.name}`, { body, headers })
  return {
    ...world,
    provider,
    startCard,
    send,
    async newCardReceipt(fields) {
      const id = await world.newReceipt(fields)
      const { status, body, text } = await startCard(id)
      if (status !== 201) throw new Error(text)
      return { id, sessionId: body.providerSessionId, attemptId: body.attemptId }
    },
    async report(sessionId, change) {
      const answer = await send(provider.happen(sessionId, change))
      if (answer.status !== 200) throw new Error(answer.text)
    },
  }
}
